// Outcomes by which people count and filter checks.
import { ASSESSMENTS } from 'telltale-engine/internal/check/types.js';

/** Outcomes that people count: the assessment, or `overturned` after a successful appeal. */
export const OUTCOMES = [...ASSESSMENTS, 'overturned'] as const;
export type Outcome = (typeof OUTCOMES)[number];
