// The parts of a serving process, from which its routes are created. Functions take a `Pick` of them.
import type { Logger } from 'pino';
import type { TrustDescription, TrustList } from 'telltale-engine/internal/check/credentials/trust.js';
import type { Semaphore } from 'telltale-engine/internal/base/concurrency.js';
import type { AppealListener } from '../accounts/appeals/appeals.js';
import type { Plans } from '../accounts/plans.js';
import type { Queue } from '../storage/queue/queue.js';
import type { OpenId } from './console/openid.js';
import type { RunDeps } from './http/checks/run-checks.js';
import type { Metrics } from './http/metrics/metrics.js';
import type { Authenticate } from './http/middleware/authenticate.js';
import type { ScanInputDeps } from './http/body/scan-input.js';
import type { ScanDeps } from './scans/scan.js';
import type { FetchAllow } from './outbound/fetch-allow.js';
import type { Traces } from './traces/span.js';

/** Everything that routes of scans use. */
export interface ScanServices extends ScanDeps, ScanInputDeps {
  readonly deadlineMs: number;
}

/** Everything that routes use, created once per process. */
export interface Services extends RunDeps {
  readonly log: Logger;
  readonly authenticate: Authenticate;
  readonly semaphore: Semaphore;
  /** Dependencies of scans, or null if they are not configured. */
  readonly scans: ScanServices | null;
  /** Semaphore that limits how many scan lists are received concurrently. */
  readonly listSemaphore: Semaphore;
  /** Semaphore that limits how many originals are received concurrently through appeal links, one for each link. */
  readonly linkSemaphore: Semaphore;
  /** Number of reverse proxies in front of the service. */
  readonly proxies: number;
  readonly isStopping: () => boolean;
  /** Returns the active C2PA trust lists. */
  readonly readTrust: () => Promise<TrustDescription>;
  /** Rejects if the process that reads Content Credentials can't be started. */
  readonly startReader: () => Promise<void>;
  /** Returns the metrics of all processes of this machine. */
  readonly readMetrics: () => Promise<string>;
  readonly metrics: Metrics;
  readonly traces: Traces;
  /** Public address of the service, or null if none is configured. */
  readonly publicUrl: string | null;
  /** Contacts for vulnerabilities in security.txt; empty for no security.txt. */
  readonly securityContacts: readonly string[];
  /** Version of the package. */
  readonly version: string;
  readonly plans: Plans;
  /** Semaphore that limits how many stored images are sent concurrently. */
  readonly keptSemaphore: Semaphore;
  /** Notifies webhooks of appeals; null without PostgreSQL. */
  readonly onAppeal: AppealListener | null;
  /** Job queue, or null without PostgreSQL. */
  readonly queue: Queue | null;
  /** Rules that allow webhooks to reach some non-public addresses, or null. */
  readonly allow: FetchAllow | null;
  readonly storeDays: number;
  /** Number of days for which the audit log keeps an entry. */
  readonly auditDays: number;
  /** OpenID Connect provider for sign-in, or null without one. */
  readonly openId: OpenId | null;
  /** Reason (part of a sentence) why thresholds can't be fitted or activated, or null if they can. */
  readonly fixedBy: string | null;
  readonly loadTrust: () => Promise<TrustList>;
}
