// Deletes expired rows and images of the service in the background; each deletion is called a sweep.
import { startPolling } from 'telltale-engine/internal/base/concurrency.js';
import type { Logger } from 'pino';
import { sweepAppealLinks } from '../accounts/appeals/links.js';
import { sweepAudit } from '../accounts/audit.js';
import { resumeErasing } from '../accounts/erase.js';
import { sweepHistory } from '../accounts/history/sweep.js';
import { sweepArrivals, sweepNetworks } from '../accounts/members/arrivals.js';
import { sweepLinks } from '../accounts/members/links.js';
import { sweepSessions } from '../accounts/members/sessions.js';
import { sweepTries } from '../accounts/members/sign-in.js';
import { sweepKeys } from '../accounts/usage/idempotency-locks.js';
import { sweepRateLimits } from '../accounts/usage/rate-limit.js';
import type { Config } from '../config.js';
import type { Database } from '../storage/db/database.js';
import type { ImageRetention } from '../storage/images/image-retention.js';
import type { Scans } from './open-parts.js';
import { sweepScans } from './scans/create-items.js';
import { cancelAbandonedUploads } from './scans/end.js';
import { sweepHostSlots } from './scans/work/host-queues.js';
import { sweepWebhooks } from './webhooks/deliveries.js';
import { notifyExpiringKeys } from './webhooks/work.js';

/** Sweeps by name, for the log. Aborting the signal ends a long sweep early. */
type Sweeps = Readonly<Record<string, (signal: AbortSignal) => Promise<unknown>>>;

/** Returns the sweeps that a service runs. */
export function listSweeps(
  { historyDays, scanDays, auditDays }: Config,
  { database, retention, scans }: SweptParts,
): Sweeps {
  return {
    images: (signal) => retention.sweep({ signal }),
    'idempotency keys': (signal) => sweepKeys(database, signal),
    history: async (signal) => {
      const imageIds = await sweepHistory(database, historyDays, signal);
      // Without a history, the images' own retention time applies.
      if (historyDays > 0) await retention.release(imageIds);
    },
    scans: async () => {
      if (scans) await cancelAbandonedUploads(scans);
      await sweepScans(database, scanDays);
    },
    'hosts of scans': () => sweepHostSlots(database),
    links: () => sweepLinks(database),
    'links of appeals': () => sweepAppealLinks(database),
    'rate limits': () => sweepRateLimits(database),
    arrivals: () => sweepArrivals(database),
    sessions: () => sweepSessions(database),
    'sign-in tries': () => sweepTries(database),
    'sign-in networks': () => sweepNetworks(database),
    webhooks: () => sweepWebhooks(database),
    'keys that expire': async () => {
      if (scans) await notifyExpiringKeys(database, scans.queue);
    },
    'audit log': () => sweepAudit(database, auditDays),
    'stopped erasures': () => resumeErasing(database, retention),
    // Runs last, because deleting rows makes SQLite's write-ahead log grow.
    'log of the database': () => database.truncateLog(),
  };
}

interface SweptParts {
  readonly database: Database;
  readonly retention: ImageRetention;
  /** Scans, or null without PostgreSQL. */
  readonly scans: Scans | null;
}

/** Milliseconds between the end of all sweeps and their next start. */
const PAUSE_MS = 600_000;

/**
 * Runs the sweeps one after another, immediately and again ten minutes after the last one ended, so that they
 * never overlap. Logs an error of a sweep and continues. Several processes may sweep the same tables. Returns
 * a function that stops after the running sweep.
 */
export function startSweeping(tasks: Sweeps, log: Logger, pauseMs = PAUSE_MS): () => Promise<void> {
  return startPolling(pauseMs, async (signal) => {
    for (const [name, task] of Object.entries(tasks)) {
      if (signal.aborted) break;
      await task(signal).catch((error: unknown) => log.warn({ err: error, task: name }, 'a sweep failed'));
    }
  });
}
