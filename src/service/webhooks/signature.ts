// Signing webhooks by the Standard Webhooks specification and its library.
import { Webhook } from 'standardwebhooks';
import { randomBytes } from 'node:crypto';

/** Number of random bytes of a secret. The specification requires 24 to 64; HMAC-SHA256 uses 32. */
const SECRET_BYTES = 32;

/**
 * Returns a new secret: `whsec_` and base64. Unlike a key, it can't be stored as a hash, because signing needs it. It
 * is shown once, no response, log or export contains it, and it opens nothing of the service. A person who reads it in
 * the database can forge events to that address until it is rotated.
 */
export function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** Signed parts of a message. */
interface Message {
  /** Identifier of the event, the same for every try. */
  readonly id: string;
  readonly body: string;
}

/** Returns the headers of a message sent at `at`, with a signature for each of `secrets`, the newest first. */
export function signMessage(
  { id, body }: Message,
  secrets: readonly string[],
  at: Date,
): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  };
}
