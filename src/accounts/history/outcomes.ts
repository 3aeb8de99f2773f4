// Words for checks that the service and the pages of the console share: outcomes, and labels of wrong verdicts.
import { ASSESSMENTS } from 'telltale-engine/internal/check/types.js';

/** Outcomes that people count: the assessment, or `overturned` after a successful appeal. */
export const OUTCOMES = [...ASSESSMENTS, 'overturned'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Correct labels that a report may give; `telltale models eval` uses the same words. */
export const LABELS = ['real', 'generated', 'edited', 'swapped'] as const;
export type Label = (typeof LABELS)[number];

/**
 * Returns the label that means the same as a verdict. A verdict does not say which kind of AI was used, so a report
 * may still give `edited` or `swapped`.
 */
export function labelOf(isAi: boolean): Label {
  return isAi ? 'generated' : 'real';
}
