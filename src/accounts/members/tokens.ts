// Opaque secrets of sessions and links: 256 random bits; the database holds their hash alone.
import { createHash, randomBytes } from 'node:crypto';

/** A new secret, 43 characters that need no escaping in an address. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** The part of a secret that is stored: its SHA-256. It has too many bits for a slow hash to add anything. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
