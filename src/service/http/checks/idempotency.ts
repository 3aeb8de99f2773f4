// The header Idempotency-Key: only the first of several duplicate requests runs; all get the same response.
import { performance } from 'node:perf_hooks';
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { CheckError, invalidRequest } from 'telltale-engine/internal/base/errors.js';
import type { Database } from '../../../storage/db/database.js';
import {
  countAnswer,
  lockKey,
  renewKey,
  requireAnswerSpace,
  unlockKey,
  type AnswerKind,
  type KeyLock,
} from '../../../accounts/usage/idempotency-locks.js';
import { digestBytes } from 'telltale-engine/internal/base/bytes.js';
import type { ImageInput, ImageSource } from '../body/image-input.js';
import { callerOf, type Context } from '../state.js';
import { disconnectSignal } from '../errors/answer-errors.js';

const POLL_MS = 100;
/** Milliseconds after which a killed process loses its lock on a key. A running process renews its locks. */
const LEASE_MS = 15_000;
const RENEW_MS = 4000;
const SANE_KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Returns the request's Idempotency-Key, or null without the header. Throws CheckError invalid_request for
 * invalid characters and for an empty key, which an unset variable may cause.
 */
export function readIdempotencyKey(ctx: Context): string | null {
  const key = ctx.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && SANE_KEY.test(key)) return key;
  throw invalidRequest(
    'Expected 1 to 255 printable ASCII characters for Idempotency-Key; leave the header out of a request that has no key',
    { param: 'Idempotency-Key' },
  );
}

/** One run of a request, whose response its duplicates receive, too. */
export interface Attempt {
  /** Lock on the Idempotency-Key, or null without a key. */
  readonly lock: KeyLock | null;
  /** Records that the response was stored under the lock, which then must not be released. */
  settle(): void;
}

/**
 * Returns the JSON of `run`, or the response of an earlier duplicate (with the header `Idempotent-Replayed:
 * true`). `fingerprint` returns a digest of the request. It is called only with a key, because it reads whole
 * images. A refused or failed request frees its key. Throws the errors of `run`, CheckError
 * idempotency_mismatch, and deadline_exceeded if a duplicate takes too long.
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
    // Ignores an error, because the lease outlasts two failed renewals.
    renewKey(deps.database, lock, LEASE_MS).catch(() => undefined);
  }, RENEW_MS);
  const kind: AnswerKind = ctx.state.isSandbox ? 'sandbox' : 'live';
  try {
    await requireAnswerSpace(deps.database, lock.accountId, kind);
    const answer = await run({ lock, settle: () => (settled.isSettled = true) });
    // Ignores an error: the limit only protects the disk, and the response is already charged.
    if (settled.isSettled)
      await countAnswer(deps.database, lock.accountId, kind, answer).catch(() => undefined);
    return answer;
  } finally {
    clearInterval(renewal);
    // Ignores an error: without a database, the lease expires.
    if (!settled.isSettled) await unlockKey(deps.database, lock).catch(() => undefined);
  }
}

/**
 * Returns the account and the key to lock. Sandbox keys and appeal links get a prefix with a space. Keys
 * contain no space, so the prefixed keys never equal a key of the account's other requests.
 */
export function ownerOfKey(ctx: Context, key: string): Pick<KeyLock, 'accountId' | 'key'> {
  const { appealLink: link, isSandbox } = ctx.state;
  if (link) return { accountId: link.accountId, key: `${link.id} ${key}` };
  return { accountId: callerOf(ctx).accountId, key: isSandbox ? `test ${key}` : key };
}

/** Locks the key and returns null, or waits for a duplicate and returns its response. */
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
        'The first request with this Idempotency-Key is still running. Send it again later',
      );
    }
    await pause(POLL_MS);
  }
}

/**
 * Returns a digest that is equal for equal requests, whatever the form's boundary or the order of JSON
 * fields.
 */
export async function fingerprintInput(path: string, { images, options, refs }: ImageInput): Promise<string> {
  const parts: string[] = [];
  for (const image of images) parts.push(await describeSource(image));
  const { store, profile, include, sandbox } = options;
  const requestParts: unknown[] = [path, parts, store, profile, include];
  // Added only if requested, so that digests from before this option was introduced stay the same.
  if (options.asksMakers) requestParts.push('provenance=ask');
  // Added only with references, so that digests from before they were introduced stay the same.
  if (refs.some((ref) => ref !== null)) requestParts.push(refs);
  if (sandbox.length > 0) requestParts.push({ sandbox });
  return createHash('sha256').update(JSON.stringify(requestParts)).digest('hex');
}

/**
 * Returns a digest of a request to verify a record. `imageSha256` is the SHA-256 of the image, null without
 * an image.
 */
export async function fingerprintVerification(
  path: string,
  record: Uint8Array,
  imageSha256: string | null,
): Promise<string> {
  const requestParts = [path, 'verify', await digestBytes(record), imageSha256];
  return createHash('sha256').update(JSON.stringify(requestParts)).digest('hex');
}

async function describeSource(image: ImageSource): Promise<string> {
  if (image.kind === 'bytes') return `bytes ${await digestBytes(image.bytes)}`;
  return image.kind === 'url' ? `url ${image.url}` : `refused ${image.error.message}`;
}
