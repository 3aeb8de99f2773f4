// Signs webhook requests with the library of the Standard Webhooks specification.
import { Webhook } from 'standardwebhooks';
import { randomBytes } from 'node:crypto';

/** Number of random bytes of a secret. The specification requires 24 to 64; HMAC-SHA256 uses 32. */
const SECRET_BYTES = 32;

/**
 * Returns a new secret for signing: `whsec_` and base64. A hash is not enough to sign, so the secret itself
 * is stored. It is shown once; no response, log or export contains it, and it gives no access to the service.
 * Somebody who reads it in the database can forge events to that address until it is replaced.
 */
export function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** Parts of a webhook request that are signed. */
interface Message {
  /** Identifier of the event, the same for every attempt. */
  readonly id: string;
  readonly body: string;
}

/** Returns the headers of a request sent at `at`, with a signature for each of `secrets`, newest first. */
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
