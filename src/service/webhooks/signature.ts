// The headers by which a receiver knows that a webhook is ours: the Standard Webhooks specification, by its own library.
import { Webhook } from 'standardwebhooks';

/** The parts of a message that are signed. */
export interface Message {
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
