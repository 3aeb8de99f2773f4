// Reads an image from any of the accepted forms, such as a path, bytes or a stream.

/**
 * An image: an http or https address that the service fetches, a path (on platforms with a file system),
 * bytes, a Blob or File, or a stream of bytes. A string is an address if it begins with `http:` or `https:`,
 * otherwise a path.
 */
export type Image =
  string | URL | Blob | ArrayBuffer | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** An image ready to send: an address, or a Blob with its bytes. */
export type Sendable =
  { readonly kind: 'url'; readonly url: string } | { readonly kind: 'blob'; readonly blob: Blob };

/** Maximum bytes read from a stream: more than the service's limit, so that the service refuses the image. */
const MAX_STREAM_BYTES = 21 * 1_048_576;

/** Reads an image. Rejects with the file system's error, or with TypeError for unsupported types. */
export async function readImage(image: Image): Promise<Sendable> {
  if (typeof image === 'string' || image instanceof URL) {
    const text = String(image);
    if (/^https?:/i.test(text)) return { kind: 'url', url: text };
    return { kind: 'blob', blob: await readPath(image) };
  }
  if (image instanceof Blob) return { kind: 'blob', blob: image };
  if (image instanceof ArrayBuffer) return { kind: 'blob', blob: new Blob([image]) };
  // Copies the bytes, because the caller may change them before a retry sends them again.
  if (ArrayBuffer.isView(image)) return { kind: 'blob', blob: new Blob([copyOf(image)]) };
  if (typeof image === 'object' && (Symbol.asyncIterator in image || 'getReader' in image))
    return { kind: 'blob', blob: await readStream(image) };
  throw new TypeError('Expected an address, a path, bytes, a Blob or a stream for an image');
}

/** Encodes an image as standard base64. Does not use Buffer, which browsers lack. */
export async function toBase64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const pieces: string[] = [];
  // Number of bytes encoded in one step: a multiple of three, so that only the last piece is padded, and few
  // enough for the arguments of one function call.
  const pieceBytes = 3 * 8192;
  for (let from = 0; from < bytes.byteLength; from += pieceBytes)
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(from, from + pieceBytes))));
  return pieces.join('');
}

async function readPath(path: string | URL): Promise<Blob> {
  // A variable instead of a literal, because bundlers for browsers would try to include the module.
  const module = 'node:fs/promises';
  const files = (await import(/* @vite-ignore */ module).catch(() => {
    throw new TypeError('Paths need a file system. Send a Blob or File instead.');
  })) as { readFile(path: string | URL): Promise<Uint8Array> };
  return new Blob([copyOf(await files.readFile(path))]);
}

async function readStream(stream: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>): Promise<Blob> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let sizeBytes = 0;
  for await (const piece of chunksOf(stream)) {
    pieces.push(copyOf(piece));
    sizeBytes += piece.byteLength;
    if (sizeBytes > MAX_STREAM_BYTES) break;
  }
  return new Blob(pieces);
}

/** Yields the chunks of a stream, even in browsers whose streams have no iterator. */
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
