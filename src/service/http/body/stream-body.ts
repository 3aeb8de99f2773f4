// A request's body as it comes, for bodies that are never in memory as a whole.
import { performance } from 'node:perf_hooks';
import { CheckError } from '../../../base/errors.js';
import { ClientDisconnect } from '../errors/answer-errors.js';
import { requirePlainBody } from './content-type.js';
import { announcedBytes, type BodyLimit } from './receive-body.js';
import type { Context } from '../state.js';

/** Longest wait for the next chunk. */
const IDLE_MS = 10_000;
/** Longest time for a whole body: 100 MB at 1.3 Mbit/s. */
const WHOLE_MS = 600_000;

/**
 * The chunks of the body. The next one is read when it is asked for, so that a sender who is faster than the reader
 * waits. Left early, the rest is read and dropped by the server. Throws the limit's refusal, invalid_request for a body
 * that comes too slowly, unsupported_media_type for a compressed one, ClientDisconnect.
 */
export async function* streamBody(ctx: Context, limit: BodyLimit): AsyncGenerator<Buffer> {
  requirePlainBody(ctx);
  const announced = announcedBytes(ctx);
  if (announced > limit.maxBytes) throw limit.refuse(announced);
  if (/^100-continue$/i.test(ctx.get('expect'))) ctx.res.writeContinue();
  const chunks = ctx.req.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>;
  const endMs = performance.now() + WHOLE_MS;
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
          `the body came too slowly: it may pause for ${IDLE_MS / 1000} s and take ${WHOLE_MS / 1000} s`,
        ),
      );
    }, limitMs);
  });
  const next = chunks.next();
  // Nobody hears the loser of the race.
  next.catch(() => undefined);
  try {
    return await Promise.race([next, slow]);
  } catch (error) {
    throw error instanceof CheckError ? error : new ClientDisconnect('the body ended early');
  } finally {
    clearTimeout(timer);
  }
}
