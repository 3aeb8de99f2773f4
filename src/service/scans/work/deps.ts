// The parts that a worker of scans is built from, named once for all its steps.
import type { CalibrationInForce } from '../../../check/thresholds/calibration.js';
import type { CheckDeps } from '../../../check/check.js';
import type { ScanDeps } from '../deps.js';
import type { Span, Traces } from '../../traces/span.js';
import type { EnginePermits } from './engine-permits.js';
import type { HostQueues } from './host-queues.js';
import type { AnswerWriter } from './answer-writer.js';

/** Built once for each worker. */
export interface WorkDeps extends ScanDeps, Pick<CheckDeps, 'engine' | 'credentials' | 'fetchManifest'> {
  readonly calibration: CalibrationInForce;
  readonly traces: Traces;
  /** The bytes at an address of an item; rejects with CheckError. */
  readonly fetch: (address: string) => Promise<Uint8Array>;
  readonly hosts: HostQueues;
  readonly places: EnginePermits;
  readonly recorder: AnswerWriter;
  /** Whether the history keeps the names of files and addresses. */
  readonly historyNames: boolean;
  /** For checking one picture; fetching it has its own limit. */
  readonly deadlineMs: number;
  /** Aborts when the process stops and the database, being away, is waited for no longer. */
  readonly lost: AbortSignal;
  /** Hears of faults that are ours. */
  readonly onFault: (error: unknown) => void;
}

/** For one item. */
export interface ItemDeps extends WorkDeps {
  /** The item in a trace of its own. */
  readonly span: Span;
}
