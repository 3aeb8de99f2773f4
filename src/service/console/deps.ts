// The parts that the console's routes are built from, named once for all of them.
import type { Plans } from '../../accounts/plans.js';
import type { TrustList } from '../../check/credentials/trust.js';
import type { AdmissionSemaphore } from '../http/checks/admission.js';
import type { RunDeps } from '../http/checks/run-checks.js';
import type { ScanRouteDeps } from '../http/routes/scans.js';
import type { FetchAllow } from '../outbound/fetch-allow.js';
import type { Queue } from '../../storage/queue/queue.js';
import type { OpenId } from './openid.js';

/** What the console works with. */
export interface ConsoleDeps extends RunDeps {
  readonly plans: Plans;
  readonly semaphore: AdmissionSemaphore;
  /** Bounds the kept pictures that are sent at once. */
  readonly keptSemaphore: AdmissionSemaphore;
  /** Null without PostgreSQL. */
  readonly queue: Queue | null;
  /** Null without PostgreSQL. */
  readonly scans: ScanRouteDeps | null;
  /** Bounds the lists that come in at once. */
  readonly listSemaphore: AdmissionSemaphore;
  /** What webhooks may reach beyond public addresses; null: nothing. */
  readonly allow: FetchAllow | null;
  readonly storeDays: number;
  /** Null: that of the request. */
  readonly publicUrl: string | null;
  /** Reverse proxies in front of the service. */
  readonly proxies: number;
  /** Null if no provider is configured. */
  readonly openId: OpenId | null;
  /** Why corrections can't be learned nor put in force here, as half a sentence; null if they can. */
  readonly fixedBy: string | null;
  readonly loadTrust: () => Promise<TrustList>;
  /** The package's version. */
  readonly version: string;
}
