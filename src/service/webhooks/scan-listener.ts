// Passes what scans tell on to the webhooks of their account.
import type { Queue } from '../../storage/queue/queue.js';
import type { ScanListener } from '../scans/deps.js';
import { recordEvent } from './deliveries.js';

/** A listener that writes each event down for the endpoints that want it, with the answers that it is about. */
export function tellWebhooks(queue: Queue): ScanListener {
  return (queries, { accountId, type, scan }) =>
    recordEvent(queries, queue, accountId, { type, at: new Date(), data: scan });
}
