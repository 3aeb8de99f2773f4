// JSON shape of the console's answer about usage.
import type { DayUsage } from '../../accounts/usage/usage.js';
import type { ShownPlan } from './shapes.js';

/** GET /console/api/usage. */
export interface Usage {
  readonly period: { readonly start: string; readonly end: string };
  /** The account's plan and every other one with checks this period. */
  readonly plans: readonly (ShownPlan & { readonly used: number })[];
  readonly days: readonly DayUsage[];
  /** From the history: this period's checks by key, null standing for those by hand; empty if none is kept. */
  readonly by_key: readonly {
    readonly key: { readonly id: string; readonly name: string } | null;
    readonly ai: number;
    readonly no_ai: number;
  }[];
}
