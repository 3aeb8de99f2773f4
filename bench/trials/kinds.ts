// Kinds of measurements. Each has one function, which runs in a separate process.
import { runAgreement } from './agreement.js';
import { runColdStart } from './cold-start.js';
import { runEngineClosed } from './engine.js';
import { runHttpClosed, runHttpOpen } from './http.js';
import { runMemory } from './memory.js';
import { runChecksMetered, runScan, runScanBeside } from './scan.js';

export const TRIAL_KINDS = {
  agreement: runAgreement,
  'checks-metered': runChecksMetered,
  'cold-start': runColdStart,
  'engine-closed': runEngineClosed,
  'http-closed': runHttpClosed,
  'http-open': runHttpOpen,
  memory: runMemory,
  scan: runScan,
  'scan-beside': runScanBeside,
} as const;

export type TrialKind = keyof typeof TRIAL_KINDS;

export type TrialSettings<Kind extends TrialKind> = Parameters<(typeof TRIAL_KINDS)[Kind]>[0];

export type TrialResult<Kind extends TrialKind> = Awaited<ReturnType<(typeof TRIAL_KINDS)[Kind]>>;

/** Message that the process of a measurement sends to its parent. */
export type TrialMessage =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'failure'; readonly code: string | null; readonly message: string };
