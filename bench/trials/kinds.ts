// The kinds of trials: a function each, run in a process of its own.
import { runAgreement } from './agreement.js';
import { runCheckpoints } from './checkpoints.js';
import { runChecksMetered } from './checks-metered.js';
import { runColdStart } from './cold-start.js';
import { runDatabase } from './database.js';
import { runEngineClosed } from './engine-closed.js';
import { runHttpBeside } from './http-beside.js';
import { runHttpClosed } from './http-closed.js';
import { runHttpOpen } from './http-open.js';
import { runMemory } from './memory.js';
import { runParts } from './parts.js';
import { runScan } from './scan.js';
import { runScanBeside } from './scan-beside.js';

/** Every kind by its name. */
export const TRIAL_KINDS = {
  agreement: runAgreement,
  checkpoints: runCheckpoints,
  'checks-metered': runChecksMetered,
  'cold-start': runColdStart,
  database: runDatabase,
  'engine-closed': runEngineClosed,
  'http-beside': runHttpBeside,
  'http-closed': runHttpClosed,
  'http-open': runHttpOpen,
  memory: runMemory,
  parts: runParts,
  scan: runScan,
  'scan-beside': runScanBeside,
} as const;

/** One of the kinds. */
export type TrialKind = keyof typeof TRIAL_KINDS;

/** What a kind is told. */
export type TrialSettings<Kind extends TrialKind> = Parameters<(typeof TRIAL_KINDS)[Kind]>[0];

/** What a kind finds. */
export type TrialResult<Kind extends TrialKind> = Awaited<ReturnType<(typeof TRIAL_KINDS)[Kind]>>;

/** What the process of a trial sends back. */
export type TrialMessage =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'failure'; readonly code: string | null; readonly message: string };
