// Passwords: Argon2id, with the library's parameters, which are OWASP's (19 MiB, 2 passes, 1 lane).
import { hash, verify } from '@node-rs/argon2';
import { AccountFault } from '../accounts/faults.js';

/** Chosen: long enough that the limit on tries makes guessing hopeless. */
export const MIN_PASSWORD_LENGTH = 12;
/** Chosen: far above any passphrase, and bounds the work of hashing. */
export const MAX_PASSWORD_LENGTH = 200;

/** The hash to store, in PHC format. Throws AccountFault where the password is too short or too long. */
export async function hashPassword(password: string): Promise<string> {
  const length = [...password].length;
  if (length < MIN_PASSWORD_LENGTH || length > MAX_PASSWORD_LENGTH)
    throw new AccountFault(
      `a password has ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters; this one has ${length}`,
    );
  return hash(password.normalize('NFC'));
}

let decoy: Promise<string> | null = null;

/** Whether `password` is the one behind `stored`. Takes as long where nothing is stored, so that time tells no one who is a member. */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const matches = await verify(stored ?? (await (decoy ??= hash('a decoy'))), password.normalize('NFC'));
  return matches && stored !== null;
}
