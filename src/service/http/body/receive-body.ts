// Receives the body of a request within limits of size and time, through a callback or as a stream.
import { CheckError, invalidRequest } from 'telltale-engine/internal/base/errors.js';
import { ClientDisconnect } from '../errors/answer-errors.js';
import type { Context } from '../state.js';
import { show } from 'telltale-engine/internal/base/shape.js';
import { performance } from 'node:perf_hooks';

/** Maximum time for receiving PACE_BYTES. A slower sender would occupy memory for too long. */
const PACE_MS = 10_000;
const PACE_BYTES = 16_384;
/** Maximum time for a whole body. Enough for 25 MB at 3.5 Mbit/s. */
const MAX_BODY_MS = 60_000;

/** Maximum size of a body, and the error for a larger body. */
export interface BodyLimit {
  readonly maxBytes: number;
  /** Returns the error. `receivedBytes` is the announced size of the body, or the size received so far. */
  readonly refuse: (receivedBytes: number) => CheckError;
}

/** Returns the size of the body that the header Content-Length announces, or 0. */
export function announcedBytes(ctx: Context): number {
  return Number(ctx.get('content-length') || 0);
}

/**
 * Passes each chunk of the body to `onChunk`. After an error, the server reads and drops the rest, so that
 * the caller can read the response. Rejects with the limit's error, invalid_request for a slow body,
 * unsupported_media_type for a compressed body, ClientDisconnect, or the error of `onChunk`.
 */
export async function receiveBody(
  ctx: Context,
  limit: BodyLimit,
  onChunk: (chunk: Buffer) => void,
): Promise<void> {
  const { req } = ctx;
  requirePlainBody(ctx);
  const announced = announcedBytes(ctx);
  if (announced > limit.maxBytes) throw limit.refuse(announced);
  if (/^100-continue$/i.test(ctx.get('expect'))) ctx.res.writeContinue();
  return new Promise((resolve, reject) => {
    let receivedBytes = 0;
    const slow = (): void => {
      finish(
        invalidRequest(
          `the body arrived too slowly: at most ${PACE_MS / 1000} s per ${PACE_BYTES / 1024} kB and ${MAX_BODY_MS / 1000} s in total are allowed`,
        ),
      );
    };
    let pacedBytes = PACE_BYTES;
    const pace = setTimeout(slow, PACE_MS);
    const whole = setTimeout(slow, MAX_BODY_MS);
    const onData = (chunk: Buffer): void => {
      receivedBytes += chunk.byteLength;
      if (receivedBytes >= pacedBytes) {
        pacedBytes = receivedBytes + PACE_BYTES;
        pace.refresh();
      }
      try {
        if (receivedBytes > limit.maxBytes) throw limit.refuse(receivedBytes);
        onChunk(chunk);
      } catch (error) {
        finish(error as Error);
      }
    };
    const end = (): void => finish(null);
    const endEarly = (): void => finish(new ClientDisconnect('the body ended early'));
    const finish = (error: Error | null): void => {
      clearTimeout(pace);
      clearTimeout(whole);
      req.off('data', onData).off('end', end).off('error', endEarly).off('close', endEarly);
      if (error === null) {
        resolve();
        return;
      }
      req.on('error', () => undefined).pause();
      reject(error);
    };
    req.on('data', onData).on('end', end).on('error', endEarly).on('close', endEarly);
  });
}

/**
 * Returns the media type in lower case without parameters, or "" if none is set. Works for empty bodies, too.
 */
export function contentType(ctx: Context): string {
  return ctx.request.type.trim().toLowerCase();
}

/** Throws CheckError unsupported_media_type if the headers say that the body is compressed. */
function requirePlainBody(ctx: Context): void {
  const encoding = ctx.get('content-encoding').trim();
  if (encoding === '' || encoding.toLowerCase() === 'identity') return;
  throw new CheckError(
    'unsupported_media_type',
    `Expected an uncompressed body without Content-Encoding but received '${show(encoding)}'`,
  );
}

/** Maximum time between two chunks. */
const IDLE_MS = 10_000;
/** Maximum time for a whole body. Enough for 100 MB at 1.3 Mbit/s. */
const MAX_STREAM_MS = 600_000;

/**
 * Yields the chunks of the body when the reader asks for them, so that a slow reader slows the sender. If the
 * reader stops early, the server reads and drops the rest. Throws the limit's error, CheckError
 * invalid_request for a slow body, unsupported_media_type for a compressed body, ClientDisconnect.
 */
export async function* streamBody(ctx: Context, limit: BodyLimit): AsyncGenerator<Buffer> {
  requirePlainBody(ctx);
  const announced = announcedBytes(ctx);
  if (announced > limit.maxBytes) throw limit.refuse(announced);
  if (/^100-continue$/i.test(ctx.get('expect'))) ctx.res.writeContinue();
  const chunks = ctx.req.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>;
  const endMs = performance.now() + MAX_STREAM_MS;
  let receivedBytes = 0;
  try {
    for (;;) {
      const { value, done } = await nextInTime(chunks, Math.min(IDLE_MS, endMs - performance.now()));
      if (done === true) return;
      receivedBytes += value.byteLength;
      if (receivedBytes > limit.maxBytes) throw limit.refuse(receivedBytes);
      yield value;
    }
  } finally {
    ctx.req.on('error', () => undefined);
    void chunks.return?.();
  }
}

async function nextInTime(
  chunks: AsyncIterator<Buffer, undefined>,
  limitMs: number,
): Promise<IteratorResult<Buffer, undefined>> {
  let timer: NodeJS.Timeout | undefined;
  const slow = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(
        invalidRequest(
          `the body arrived too slowly: pauses of ${IDLE_MS / 1000} s and ${MAX_STREAM_MS / 1000} s in total are allowed`,
        ),
      );
    }, limitMs);
  });
  const next = chunks.next();
  // If `slow` wins the race, `next` may reject later. This prevents an unhandled rejection.
  next.catch(() => undefined);
  try {
    return await Promise.race([next, slow]);
  } catch (error) {
    throw error instanceof CheckError ? error : new ClientDisconnect('the body ended early');
  } finally {
    clearTimeout(timer);
  }
}
