// Passwords: Argon2id, with the library's parameters, which are OWASP's (19 MiB, 2 passes, 1 lane).
import { hash, verify } from '@node-rs/argon2';
import { AccountFault } from '../accounts.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { Semaphore } from 'telltale-engine/internal/base/concurrency/semaphore.js';

/** Chosen: long enough that the limit on tries makes guessing hopeless. */
const MIN_PASSWORD_LENGTH = 12;
/** Chosen: far above any passphrase, and bounds the work of hashing. */
const MAX_PASSWORD_LENGTH = 200;

/** Hashings at once: they run on the four threads by which files are read, and leave two to them. */
const HASHINGS = 2;
/** Chosen: a second of work. People who come then are told to come again. */
const WAITING = 50;

const semaphore = new Semaphore({
  permits: HASHINGS,
  queueLimit: WAITING,
  refuse: () => new CheckError('overloaded', 'too many people sign in at the moment; try again shortly'),
});

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const leave = await semaphore.enter(new AbortController().signal);
  try {
    return await work();
  } finally {
    leave();
  }
}

/**
 * The hash to store, in PHC format. Throws AccountFault if the password is too short or too long, CheckError
 * overloaded.
 */
export async function hashPassword(password: string): Promise<string> {
  const length = [...password].length;
  if (length < MIN_PASSWORD_LENGTH || length > MAX_PASSWORD_LENGTH)
    throw new AccountFault(
      `a password has ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters; this one has ${length}`,
    );
  return inTurn(() => hash(password.normalize('NFC')));
}

let decoy: Promise<string> | null = null;

/**
 * Whether `password` is the one behind `stored`. Takes as long if nothing is stored, so that time tells no one who is a
 * member. Throws CheckError overloaded.
 */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const matches = await inTurn(async () =>
    verify(stored ?? (await (decoy ??= hash('a decoy'))), password.normalize('NFC')),
  );
  return matches && stored !== null;
}
