// JSON shapes of thresholds that are fitted on the machine, as `shapes.ts` has the others. Moments are RFC 3339.
import type { OwnThresholds } from '../own-thresholds/own-thresholds.js';

/** Thresholds that were asked for. */
export interface ShownThresholds extends Omit<OwnThresholds, 'madeBy' | 'createdAt'> {
  readonly made_by: string;
  readonly created_at: string;
}

/** GET /console/api/operator/thresholds: newest first, at most 100. */
export interface ThresholdsPage {
  readonly thresholds: readonly ShownThresholds[];
  /** Identifier to ask for what is older; null at the end. */
  readonly next: string | null;
  /** On whatever page they stand; null: those that shipped. */
  readonly active: { readonly id: string; readonly name: string } | null;
  /** What the process that answers checks with. */
  readonly model: string;
  readonly bands_version: string;
  /** Why none can be fitted nor activated, as half a sentence; null if they can. */
  readonly fixed_by: string | null;
}

/** GET /console/api/operator/judged: kept images that members said to be genuine, or AI. */
export interface Judged {
  /** Genuine images that thresholds take at least. */
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
