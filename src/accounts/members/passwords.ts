// Passwords, hashed by Argon2id with the library's default parameters, which OWASP recommends (19 MiB, 2 passes, 1
// lane).
import { hash, verify } from '@node-rs/argon2';
import { AccountFault } from '../accounts.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { Semaphore } from 'telltale-engine/internal/base/concurrency.js';

/** Minimum number of characters. With the limits on attempts, a password of this length can't be guessed. */
const MIN_PASSWORD_LENGTH = 12;
/** Maximum number of characters: far more than any passphrase has. Limits the work of hashing. */
const MAX_PASSWORD_LENGTH = 200;

/** Maximum number of passwords hashed concurrently: half of libuv's threads, so that two can read files. */
const MAX_CONCURRENT_HASHES = 2;
/** Maximum number of waiting requests, about one second of work. Further requests are refused with `overloaded`. */
const MAX_WAITING = 50;

const semaphore = new Semaphore({
  permits: MAX_CONCURRENT_HASHES,
  queueLimit: MAX_WAITING,
  refuse: () => new CheckError('overloaded', 'Too many people are signing in. Try again shortly'),
});

async function withHashPermit<T>(work: () => Promise<T>): Promise<T> {
  const leave = await semaphore.enter(new AbortController().signal);
  try {
    return await work();
  } finally {
    leave();
  }
}

/**
 * Returns the hash to store, in PHC format. Throws AccountFault if the password is too short or too long, and
 * CheckError overloaded.
 */
export async function hashPassword(password: string): Promise<string> {
  const length = [...password].length;
  if (length < MIN_PASSWORD_LENGTH || length > MAX_PASSWORD_LENGTH)
    throw new AccountFault(
      `Expected a password of ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters but received ${length}`,
    );
  return withHashPermit(() => hash(password.normalize('NFC')));
}

let decoy: Promise<string> | null = null;

/**
 * Returns whether `password` belongs to the hash `stored`. Takes equally long if `stored` is null, so that the time
 * does not reveal who is a member. Throws CheckError overloaded.
 */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const matches = await withHashPermit(async () =>
    verify(stored ?? (await (decoy ??= hash('a decoy'))), password.normalize('NFC')),
  );
  return matches && stored !== null;
}
