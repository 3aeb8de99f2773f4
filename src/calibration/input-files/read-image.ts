// Reads an image from a file or an open stream, up to the maximum size of a check.
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { listenForAbort } from 'telltale-engine/internal/base/concurrency.js';
import { MAX_IMAGE_BYTES } from 'telltale-engine/internal/base/limits.js';
import { admitSize } from 'telltale-engine/internal/check/admit-image.js';
import { CheckError, invalidRequest } from 'telltale-engine/internal/base/errors.js';
import { openRegular } from 'telltale-engine/internal/base/files.js';
import type { Engine } from 'telltale-engine/internal/engine/types.js';

/** Number of bytes that suffice to recognise the format. */
const HEAD_BYTES = 4096;
/** Matches the path of a stream that the shell opened, as in `check <(convert ...)`. */
const OPEN_DESCRIPTOR = /^\/(?:dev\/fd|proc\/self\/fd)\/\d+$/;

/**
 * Reads a whole file. `-` is standard input. Standard input and a stream that the shell opened (`/dev/fd/N`) may be
 * pipes. Rejects with CheckError `image_too_large` before reading more than the maximum, `not_found` for a missing
 * file, `invalid_request` for an unreadable one, or with the signal's reason.
 */
export async function readImage(path: string, signal: AbortSignal): Promise<Uint8Array> {
  try {
    if (path === '-') return await readStream(process.stdin, signal);
    if (OPEN_DESCRIPTOR.test(path)) return await readStream(createReadStream(path, { signal }), signal);
    const file = await openRegular(path);
    try {
      admitSize((await file.stat()).size);
      return await file.readFile({ signal });
    } finally {
      await file.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    throw asCheckError(error, path);
  }
}

/** Reads the first 4 KiB of a file. Rejects like `readImage`. */
export async function readHead(path: string): Promise<Uint8Array> {
  try {
    const file = await openRegular(path);
    try {
      const { buffer, bytesRead } = await file.read(new Uint8Array(HEAD_BYTES));
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw asCheckError(error, path);
  }
}

async function readStream(stream: Readable, signal: AbortSignal): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  const stopListening = listenForAbort(signal, () => void stream.destroy(signal.reason as Error));
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
      sizeBytes += chunk.byteLength;
      if (sizeBytes > MAX_IMAGE_BYTES) break;
    }
  } finally {
    stopListening();
  }
  admitSize(sizeBytes);
  return Buffer.concat(chunks);
}

/** Matches an address in place of a path. */
const ADDRESS = /^[a-z][a-z0-9+.-]+:\/\//i;

function asCheckError(error: unknown, path: string): unknown {
  if (error instanceof CheckError || !(error instanceof Error) || !('code' in error)) return error;
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') {
    const advice = ADDRESS.test(path)
      ? "; 'telltale scan' fetches the http and https addresses of a list"
      : '';
    return new CheckError('not_found', `there is no such file${advice}`, { cause: error });
  }
  return invalidRequest(`the file can't be read (${String(error.code)})`, {
    cause: error,
  });
}

/** Returns whether the file at `path` begins like an image of an accepted format. Rejects like `readHead`. */
export async function looksLikeImage(path: string, engine: Engine): Promise<boolean> {
  const head = await readHead(path);
  try {
    await engine.sniff(head);
  } catch (error) {
    // Any other error means that the format is accepted but the image is cut off or invalid.
    return !(error instanceof CheckError && error.code === 'unsupported_format');
  }
  return true;
}
