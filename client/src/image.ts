// An image in any of the forms that programs hold one in, made ready to be sent as often as need be.

/**
 * An image by its address (http or https; the service fetches it) or by its path (if there is a file system). Or the
 * image itself: bytes, a Blob or File, or a stream of bytes. A string is an address if it begins like one, else a
 * path.
 */
export type Image =
  string | URL | Blob | ArrayBuffer | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** How an image is sent. */
export type Sendable =
  { readonly kind: 'url'; readonly url: string } | { readonly kind: 'blob'; readonly blob: Blob };

/** A little more than the service takes: it refuses larger ones itself, and a stream without end must end. */
const MOST_BYTES = 21 * 1_048_576;

/**
 * Reads what has to be read here. Rejects with TypeError for anything but an image, or with the file system's error.
 */
export async function readImage(image: Image): Promise<Sendable> {
  if (typeof image === 'string' || image instanceof URL) {
    const text = String(image);
    if (/^https?:/i.test(text)) return { kind: 'url', url: text };
    return { kind: 'blob', blob: await readPath(image) };
  }
  if (image instanceof Blob) return { kind: 'blob', blob: image };
  if (image instanceof ArrayBuffer) return { kind: 'blob', blob: new Blob([image]) };
  // Copied: a retry sends it again, whatever its owner does to it meanwhile.
  if (ArrayBuffer.isView(image)) return { kind: 'blob', blob: new Blob([copyOf(image)]) };
  if (typeof image === 'object' && (Symbol.asyncIterator in image || 'getReader' in image))
    return { kind: 'blob', blob: await readStream(image) };
  throw new TypeError('Expected an address, a path, bytes, a Blob or a stream for an image');
}

/** Standard base64 of an image, without a Buffer, which browsers lack. */
export async function toBase64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const pieces: string[] = [];
  // A multiple of three, so that no padding falls between the pieces; small enough for a list of arguments.
  const pieceBytes = 3 * 8192;
  for (let from = 0; from < bytes.byteLength; from += pieceBytes)
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(from, from + pieceBytes))));
  return pieces.join('');
}

async function readPath(path: string | URL): Promise<Blob> {
  // Not written out, so that bundlers for browsers leave it alone.
  const module = 'node:fs/promises';
  const files = (await import(/* @vite-ignore */ module).catch(() => {
    throw new TypeError('a path can be read only if there is a file system: send a Blob or File');
  })) as { readFile(path: string | URL): Promise<Uint8Array> };
  return new Blob([copyOf(await files.readFile(path))]);
}

async function readStream(stream: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>): Promise<Blob> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let sizeBytes = 0;
  for await (const piece of chunksOf(stream)) {
    pieces.push(copyOf(piece));
    sizeBytes += piece.byteLength;
    if (sizeBytes > MOST_BYTES) break;
  }
  return new Blob(pieces);
}

/** The pieces of a stream; some browsers' streams can't be iterated over. */
export async function* chunksOf(
  stream: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (Symbol.asyncIterator in stream) {
    yield* stream as AsyncIterable<Uint8Array>;
    return;
  }
  const reader = (stream as ReadableStream<Uint8Array>).getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel();
  }
}

function copyOf(bytes: ArrayBufferView): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(bytes.byteLength);
  copy.set(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  return copy;
}
