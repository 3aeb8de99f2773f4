// The headers by which a receiver knows that a webhook is ours: the Standard Webhooks specification, by its own library.
import { Webhook } from 'standardwebhooks';
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

/** The parts of a message that are signed. */
interface Message {
  /** Identifier of the event, the same for every try. */
  readonly id: string;
  readonly body: string;
}

/** Headers for a message that is sent at `at`: one signature for each of `secrets`, the newest first. */
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
