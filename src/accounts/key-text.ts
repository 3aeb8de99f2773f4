// The text of API keys: drawing, hashing and comparing it.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

// The 32 characters of identifiers and secrets, chosen because they look different from each other. Each has 5 bits,
// so a secret has 160 bits.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const KEY = /^tt_(?:live|test)_([0-9a-z]{8})_[0-9a-z]{32}$/;

/** Returns the identifier in a key's text; null if the text does not have the format of a key. */
export function readKeyId(key: string): string | null {
  return KEY.exec(key)?.[1] ?? null;
}

/** Draws a new key. Returns its text, its identifier and the hash to store. */
export function drawKey(isSandbox: boolean): Readonly<Record<'id' | 'key' | 'hash', string>> {
  const id = drawCharacters(8);
  const key = `tt_${isSandbox ? 'test' : 'live'}_${id}_${drawCharacters(32)}`;
  return { id, key, hash: hashKey(key).toString('hex') };
}

const NO_HASH = Buffer.alloc(32);

/**
 * Returns whether `key` is the text of `stored` and is valid at `now`. Compares in constant time, even if `stored` is
 * null, so that the time does not reveal which keys exist.
 */
export function isUsable(
  key: string,
  stored: { readonly hash: Buffer; readonly revokedAt: Date | null; readonly expiresAt: Date | null } | null,
  now: Date,
): boolean {
  const isSame = timingSafeEqual(hashKey(key), stored?.hash ?? NO_HASH);
  return (
    isSame &&
    stored !== null &&
    stored.revokedAt === null &&
    (stored.expiresAt === null || stored.expiresAt > now)
  );
}

/** Returns the hash of a key's text, which is stored instead of the text. */
function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

function drawCharacters(count: number): string {
  return Array.from(randomBytes(count), (byte) => ALPHABET[byte & 31]).join('');
}
