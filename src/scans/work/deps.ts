// What a worker works with.
import type { CheckDeps } from '../../check/check.js';
import type { ScanDeps } from '../deps.js';
import type { EnginePlaces } from './engine-places.js';
import type { HostLimits } from './host-limits.js';
import type { Recorder } from './recorder.js';

/** Built once for each worker. */
export interface WorkDeps extends ScanDeps, CheckDeps {
  /** The bytes at an address of an item; rejects with CheckError, or with the signal's reason. */
  readonly fetch: (address: string, signal: AbortSignal) => Promise<Uint8Array>;
  readonly hosts: HostLimits;
  readonly places: EnginePlaces;
  readonly recorder: Recorder;
  /** For checking one picture; fetching it has its own limit. */
  readonly deadlineMs: number;
  /** Hears of faults that are ours. */
  readonly onFault: (error: unknown) => void;
}
