// Secrets that webhooks are signed with, in the form of the Standard Webhooks specification.
import { randomBytes } from 'node:crypto';

/** The specification wants 24 to 64; as long as what HMAC-SHA256 gives. */
const SECRET_BYTES = 32;

/**
 * A new secret: `whsec_` and base64. Unlike a key it can't be stored as a hash, for signing needs it as it is. What
 * protects it: it is shown once and never again, no answer, log or export holds it, and it opens nothing of the
 * service. Somebody who reads it in the database can forge events to that one address, until it is rotated.
 */
export function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}
