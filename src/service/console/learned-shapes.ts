// JSON shapes of what is learned on the machine, as `shapes.ts` has the others. Moments are RFC 3339.
import type { CorrectionOutcome, CorrectionState } from '../corrections/corrections.js';

/** A correction, or thresholds, that was asked for. */
export interface ShownCorrection {
  readonly id: string;
  readonly name: string;
  readonly kind: 'correction' | 'thresholds';
  readonly state: CorrectionState;
  readonly made_by: string;
  readonly created_at: string;
  /** Pictures that were looked at, of how many. */
  readonly seen: number;
  readonly pictures: number;
  readonly reason: string | null;
  readonly outcome: CorrectionOutcome | null;
  /** Markdown. */
  readonly card: string | null;
}

/** GET /console/api/operator/corrections: newest first, at most 100. */
export interface Corrections {
  readonly corrections: readonly ShownCorrection[];
  /** Identifier to ask for what is older; null at the end. */
  readonly next: string | null;
  /** On whatever page it stands; null: what shipped. */
  readonly in_force: { readonly id: string; readonly name: string } | null;
  /** What the process that answers checks with. */
  readonly model: string;
  readonly bands_version: string;
  /** Why none can be learned nor put in force, as half a sentence; null if they can. */
  readonly fixed_by: string | null;
  /** What members reported as wrong, by the right answer, and how many of these no longer have their picture. */
  readonly reported: {
    readonly ai: number;
    readonly genuine: number;
    readonly without_picture: number;
    /** With their picture, of the 100 accounts that reported most; the one with the most first. */
    readonly accounts: readonly { readonly name: string; readonly ai: number; readonly genuine: number }[];
  };
}

/** GET /console/api/operator/judged: kept pictures that members said to be genuine, or AI. */
export interface Judged {
  /** Genuine pictures that thresholds take at least. */
  readonly least: number;
  /** At most 100; the one with the most genuine ones first. */
  readonly accounts: readonly {
    readonly id: string;
    readonly name: string;
    readonly genuine: number;
    readonly ai: number;
    /** Who cleared any of the genuine ones. */
    readonly members: number;
  }[];
}
