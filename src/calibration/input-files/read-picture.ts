// The bytes of one picture from a file, a pipe or standard input, never more than may be checked.
import { createReadStream } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { listenForAbort } from '../../base/concurrency/abort-listener.js';
import { MAX_IMAGE_BYTES } from '../../base/limits.js';
import { admitSize } from '../../check/limits.js';
import { CheckError } from '../../base/errors.js';
import { toFilePath } from '../../base/file-names.js';

/** Enough of a file to tell its format. */
const HEAD_BYTES = 4096;

/**
 * Reads a whole file; `-` is standard input. Rejects with CheckError `image_too_large` before reading more than is
 * allowed, `not_found` where there is no such file, `invalid_request` where it can't be read, or the signal's reason.
 */
export async function readPicture(path: string, signal: AbortSignal): Promise<Uint8Array> {
  try {
    if (path === '-') return await readStream(process.stdin, signal);
    const { size, isRegular } = await describe(path);
    if (!isRegular) return await readStream(createReadStream(toFilePath(path), { signal }), signal);
    admitSize(size);
    return await readFile(toFilePath(path), { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw asCheckError(error);
  }
}

/** The first 4 KiB of a file. Rejects as `readPicture`. */
export async function readHead(path: string): Promise<Uint8Array> {
  try {
    const { isRegular } = await describe(path);
    if (!isRegular) return new Uint8Array();
    const file = await open(toFilePath(path));
    try {
      const { buffer, bytesRead } = await file.read(new Uint8Array(HEAD_BYTES));
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw asCheckError(error);
  }
}

async function describe(path: string): Promise<{ size: number; isRegular: boolean }> {
  const found = await stat(toFilePath(path));
  return { size: found.size, isRegular: found.isFile() || found.isDirectory() };
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

function asCheckError(error: unknown): unknown {
  if (error instanceof CheckError || !(error instanceof Error) || !('code' in error)) return error;
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') {
    return new CheckError('not_found', 'there is no such file', { cause: error });
  }
  return new CheckError('invalid_request', `the file can't be read (${String(error.code)})`, {
    cause: error,
  });
}
