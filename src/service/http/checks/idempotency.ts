// Idempotency-Key: one of several duplicate requests runs; the others receive its response byte for byte.
import { performance } from 'node:perf_hooks';
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { Database } from '../../../storage/db/database.js';
import {
  countAnswer,
  lockKey,
  renewKey,
  requireAnswerSpace,
  unlockKey,
  type AnswerKind,
  type KeyLock,
} from '../../../accounts/usage/idempotency.js';
import { digestBytes } from 'telltale-engine/internal/base/digest.js';
import type { ImageInput, ImageSource } from '../body/image-input.js';
import { callerOf, type Context } from '../state.js';
import { disconnectSignal } from '../errors/answer-errors.js';

const POLL_MS = 100;
/** Milliseconds after which the key of a killed process becomes free; a running process renews it. */
const LEASE_MS = 15_000;
const RENEW_MS = 4000;
const SANE_KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Returns the request's Idempotency-Key, or null without the header. Throws CheckError invalid_request for an empty
 * key, such as from an unset variable, and for invalid characters.
 */
export function readIdempotencyKey(ctx: Context): string | null {
  const key = ctx.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && SANE_KEY.test(key)) return key;
  throw new CheckError(
    'invalid_request',
    'Expected 1 to 255 printable ASCII characters for Idempotency-Key; leave the header out of a request that has no key',
    { param: 'Idempotency-Key' },
  );
}

/** One run of a request. */
export interface Attempt {
  /** Lock, or null without an Idempotency-Key. */
  readonly lock: KeyLock | null;
  /** Records that the response is stored with the lock. */
  settle(): void;
}

/**
 * Returns the JSON of `run`, or the response of an earlier duplicate (with the header `Idempotent-Replayed: true`).
 * `fingerprint` returns the digest of the request and is called only with a key, because it reads whole images. A
 * refused or failed request frees its key. Throws the errors of `run`, CheckError idempotency_mismatch, and
 * deadline_exceeded if a duplicate takes too long.
 */
export async function answerOnce(
  ctx: Context,
  deps: { readonly database: Database; readonly deadlineMs: number },
  fingerprint: () => string | Promise<string>,
  run: (attempt: Attempt) => Promise<string>,
): Promise<string> {
  const key = readIdempotencyKey(ctx);
  if (key === null) return run({ lock: null, settle: () => undefined });
  const lock: KeyLock = {
    ...ownerOfKey(ctx, key),
    fingerprint: await fingerprint(),
    owner: randomUUID(),
  };
  const replayed = await ctx.state.stages.time('idempotency', () => lockOrWait(ctx, deps, lock));
  if (replayed !== null) {
    ctx.set('Idempotent-Replayed', 'true');
    return replayed;
  }
  const settled = { isSettled: false };
  const renewal = setInterval(() => {
    // The next renewal makes up for a failed one, because the lease is three times as long.
    renewKey(deps.database, lock, LEASE_MS).catch(() => undefined);
  }, RENEW_MS);
  const kind: AnswerKind = ctx.state.isSandbox ? 'sandbox' : 'live';
  try {
    await requireAnswerSpace(deps.database, lock.accountId, kind);
    const answer = await run({ lock, settle: () => (settled.isSettled = true) });
    // Best effort: the limit protects a disk, and the response is charged already.
    if (settled.isSettled)
      await countAnswer(deps.database, lock.accountId, kind, answer).catch(() => undefined);
    return answer;
  } finally {
    clearInterval(renewal);
    // Best effort: without a database the lease expires.
    if (!settled.isSettled) await unlockKey(deps.database, lock).catch(() => undefined);
  }
}

/**
 * Returns the owner of a key for its lock. Keys contain no space, so sandbox keys and appeal links never share a lock
 * with the account's own requests.
 */
export function ownerOfKey(ctx: Context, key: string): Pick<KeyLock, 'accountId' | 'key'> {
  const { appealLink: link, isSandbox } = ctx.state;
  if (link) return { accountId: link.accountId, key: `${link.checkId} ${key}` };
  return { accountId: callerOf(ctx).accountId, key: isSandbox ? `test ${key}` : key };
}

/** Returns the response of a duplicate, or null if this request must run. */
async function lockOrWait(
  ctx: Context,
  { database, deadlineMs }: { readonly database: Database; readonly deadlineMs: number },
  lock: KeyLock,
): Promise<string | null> {
  const endMs = performance.now() + deadlineMs;
  const signal = disconnectSignal(ctx);
  for (;;) {
    signal.throwIfAborted();
    const outcome = await lockKey(database, lock, LEASE_MS);
    if (outcome.kind === 'locked') return null;
    if (outcome.kind === 'answered') return outcome.body;
    if (performance.now() >= endMs) {
      throw new CheckError(
        'deadline_exceeded',
        'the first request with this Idempotency-Key is still running; send it again later',
      );
    }
    await pause(POLL_MS);
  }
}

/**
 * Returns a digest that is the same for every spelling of a request, whatever the form's boundary or the order of JSON
 * fields.
 */
export async function fingerprintInput(path: string, { images, options, refs }: ImageInput): Promise<string> {
  const parts: string[] = [];
  for (const image of images) parts.push(await describeSource(image));
  const { store, profile, include, sandbox } = options;
  const asked: unknown[] = [path, parts, store, profile, include];
  // Added only if requested, so that digests from before this option stay the same.
  if (options.asksMakers) asked.push('provenance=ask');
  // Added only with references, so that digests from before this option stay the same.
  if (refs.some((ref) => ref !== null)) asked.push(refs);
  if (sandbox.length > 0) asked.push({ sandbox });
  return createHash('sha256').update(JSON.stringify(asked)).digest('hex');
}

async function describeSource(image: ImageSource): Promise<string> {
  if (image.kind === 'bytes') return `bytes ${await digestBytes(image.bytes)}`;
  return image.kind === 'url' ? `url ${image.url}` : `refused ${image.error.message}`;
}
