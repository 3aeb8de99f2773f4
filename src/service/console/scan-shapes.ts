// JSON shapes of the console's answers about scans.
import type { VerdictCounts } from '../../accounts/history/tally.js';
import type { PresentedScan } from '../scans/scan.js';

/** A scan. */
export interface ShownScan extends PresentedScan {
  /** What its list is called; null where it has no name, or none is kept. */
  readonly name: string | null;
  /** Address of the member, or name of the key, that began it; null if the member is gone. */
  readonly by: string | null;
  /** Whether a page sends its pictures one by one. */
  readonly is_uploaded: boolean;
  readonly profile: string;
}

/** GET /console/api/scans: newest first, at most 50. */
export interface ScanPage {
  readonly scans: readonly ShownScan[];
  /** Identifier to ask for what is older; null at the end. */
  readonly next: string | null;
}

/** GET /console/api/scans/ID. */
export interface ShownScanDetail extends ShownScan {
  /** Whether who asks began it in the console. */
  readonly is_mine: boolean;
  /** From the history: those that it no longer has, or never kept, are missing. */
  readonly verdicts: VerdictCounts;
}

/** GET /console/api/scans/ID/failures: in the order of the answers, at most 100. */
export interface FailurePage {
  readonly failures: readonly {
    /** Where the item stands in the list, from 1. */
    readonly line: number;
    readonly ref: string | null;
    readonly code: string;
    readonly message: string;
  }[];
  /** To ask for the next ones by `after`; null at the end. */
  readonly next: string | null;
}
