// Delivers the events that are due, in the processes that are there for it: requests over HTTP wait for no endpoint.
import type { Logger } from 'pino';
import type { Database } from '../../storage/db/database.js';
import type { FetcherOptions } from '../outbound/guarded-agent.js';
import { createPoster } from '../outbound/post.js';
import type { Queue } from '../../storage/queue/queue.js';
import { NO_TRACES, type Traces } from '../traces/span.js';
import { AccountPlaces } from './account-places.js';
import { deliver } from './deliver.js';
import { DELIVERY_JOBS, recordEvent } from './deliveries.js';
import type { ScanListener } from '../scans/deps.js';

/** Tries at a time: an address that hangs holds one for 10 s, and the others go on ... */
const CONCURRENCY = 8;
/** ... as those of one account hold no more than this. */
const TRIES_EACH = 2;
const POLL_MS = 1000;

/** What delivering works with. */
export interface DeliveryDeps {
  readonly database: Database;
  readonly queue: Queue;
  readonly log: Logger;
  /** Default: none are made. */
  readonly traces?: Traces;
  /** What the poster may reach, and for tests what it takes for the world. */
  readonly fetcher?: FetcherOptions;
  /** Pauses other than those of `retryDelay`; for tests. */
  readonly pauseMs?: (tries: number) => number;
}

/**
 * Delivers until it is stopped, beside any number of other processes. Gives the function that stops it, which waits for
 * the tries under way.
 */
export async function startDeliveries(deps: DeliveryDeps): Promise<() => Promise<void>> {
  const { database, queue, log, traces = NO_TRACES, fetcher, pauseMs } = deps;
  await queue.define(DELIVERY_JOBS);
  const poster = createPoster(fetcher);
  const onDisabled = (webhook: string, reason: string): void =>
    log.warn({ webhook, reason }, 'a webhook was disabled');
  const places = new AccountPlaces(TRIES_EACH);
  const allow = fetcher?.allow ?? null;
  const trying = { database, queue, traces, poster, allow, places, onDisabled, ...(pauseMs && { pauseMs }) };
  const work = queue.work(DELIVERY_JOBS, { concurrency: CONCURRENCY, pollMs: POLL_MS }, (job) =>
    deliver(trying, job),
  );
  return async () => {
    await work.stop();
    await poster.close();
  };
}

/** A listener that writes each event down for the endpoints that want it, with the answers that it is about. */
export function tellWebhooks(queue: Queue): ScanListener {
  return (queries, { accountId, type, scan }) =>
    recordEvent(queries, queue, accountId, { type, at: new Date(), data: scan });
}
