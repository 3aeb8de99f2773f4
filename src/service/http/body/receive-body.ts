// Receives a request's body chunk by chunk, within limits of size and time.
import { CheckError } from '../../../base/errors.js';
import { ClientDisconnect } from '../errors/answer-errors.js';
import { requirePlainBody } from './content-type.js';
import type { Context } from '../state.js';

/** Longest time for PACE_BYTES: a body that drips would hold its place for the whole time. */
const PACE_MS = 10_000;
const PACE_BYTES = 16_384;
/** Longest time for a whole body: 25 MB at 3.5 Mbit/s. */
const WHOLE_MS = 60_000;

/** Bounds of one body. */
export interface BodyLimit {
  readonly maxBytes: number;
  /** The error of a larger one; `receivedBytes` is what was announced, or has come so far. */
  readonly refuse: (receivedBytes: number) => CheckError;
}

/** Bytes of the body, as the caller announces them; 0 if it does not. */
export function announcedBytes(ctx: Context): number {
  return Number(ctx.get('content-length') || 0);
}

/**
 * Hands over each chunk as it comes. The rest after a failure is read and dropped by the server, so that the caller
 * gets to read the answer. Rejects with the limit's refusal, with invalid_request for a body that comes too slowly,
 * with ClientDisconnect. Or with unsupported_media_type for a compressed one, or with what `onChunk` throws.
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
