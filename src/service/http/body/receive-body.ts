// Receiving the body of a request in chunks, within limits of size and time: by a callback, or as a stream.
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { ClientDisconnect } from '../errors/answer-errors.js';
import type { Context } from '../state.js';
import { show } from 'telltale-engine/internal/base/shape.js';
import { performance } from 'node:perf_hooks';

/** Maximum time for PACE_BYTES. A slower body would hold its permit for the whole time. */
const PACE_MS = 10_000;
const PACE_BYTES = 16_384;
/** Maximum time for a whole body: 25 MB at 3.5 Mbit/s. */
const WHOLE_MS = 60_000;

/** Limit of a body. */
export interface BodyLimit {
  readonly maxBytes: number;
  /** Returns the error of a larger body; `receivedBytes` is the announced size, or the size so far. */
  readonly refuse: (receivedBytes: number) => CheckError;
}

/** Returns the announced size of the body in bytes, or 0. */
export function announcedBytes(ctx: Context): number {
  return Number(ctx.get('content-length') || 0);
}

/**
 * Passes each chunk to `onChunk`. After an error, the server reads and drops the rest, so that the caller can read the
 * response. Rejects with the limit's error, invalid_request for a slow body, unsupported_media_type for a compressed
 * one, ClientDisconnect, or the error of `onChunk`.
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
        new CheckError(
          'invalid_request',
          `the body came too slowly: it may take ${PACE_MS / 1000} s for each ${PACE_BYTES / 1024} kB, and ${WHOLE_MS / 1000} s in all`,
        ),
      );
    };
    let pacedBytes = PACE_BYTES;
    const pace = setTimeout(slow, PACE_MS);
    const whole = setTimeout(slow, WHOLE_MS);
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
    const gone = (): void => finish(new ClientDisconnect('the body ended early'));
    const finish = (error: Error | null): void => {
      clearTimeout(pace);
      clearTimeout(whole);
      req.off('data', onData).off('end', end).off('error', gone).off('close', gone);
      if (error === null) {
        resolve();
        return;
      }
      req.on('error', () => undefined).pause();
      reject(error);
    };
    req.on('data', onData).on('end', end).on('error', gone).on('close', gone);
  });
}

/**
 * Returns the media type without parameters in lower case, or "" if none is announced. Works for empty bodies, too.
 */
export function contentType(ctx: Context): string {
  return ctx.request.type.trim().toLowerCase();
}

/** Throws CheckError unsupported_media_type for a body announced as compressed. */
function requirePlainBody(ctx: Context): void {
  const encoding = ctx.get('content-encoding').trim();
  if (encoding === '' || encoding.toLowerCase() === 'identity') return;
  throw new CheckError(
    'unsupported_media_type',
    `Expected a body as it is, without Content-Encoding, but received '${show(encoding)}'`,
  );
}

/** Maximum wait for the next chunk. */
const IDLE_MS = 10_000;
/** Maximum time for a whole body: 100 MB at 1.3 Mbit/s. */
const WHOLE_STREAM_MS = 600_000;

/**
 * Yields the chunks of the body as they are needed, so that a slow reader slows the sender. The server reads and drops
 * the rest if the reader stops early. Throws the limit's error, CheckError invalid_request for a slow body,
 * unsupported_media_type for a compressed one, ClientDisconnect.
 */
export async function* streamBody(ctx: Context, limit: BodyLimit): AsyncGenerator<Buffer> {
  requirePlainBody(ctx);
  const announced = announcedBytes(ctx);
  if (announced > limit.maxBytes) throw limit.refuse(announced);
  if (/^100-continue$/i.test(ctx.get('expect'))) ctx.res.writeContinue();
  const chunks = ctx.req.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>;
  const endMs = performance.now() + WHOLE_STREAM_MS;
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
        new CheckError(
          'invalid_request',
          `the body came too slowly: it may pause for ${IDLE_MS / 1000} s and take ${WHOLE_STREAM_MS / 1000} s`,
        ),
      );
    }, limitMs);
  });
  const next = chunks.next();
  // The losing promise of the race may reject unheard.
  next.catch(() => undefined);
  try {
    return await Promise.race([next, slow]);
  } catch (error) {
    throw error instanceof CheckError ? error : new ClientDisconnect('the body ended early');
  } finally {
    clearTimeout(timer);
  }
}
