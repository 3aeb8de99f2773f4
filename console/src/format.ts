// Numbers, moments and names as readers expect them, in their own time zone.
import type { Signal } from '../../src/check/types.js';

const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const WHOLE = new Intl.NumberFormat();

/** Date and time of an RFC 3339 moment. */
export const formatMoment = (moment: string): string => MOMENT.format(new Date(moment));
/** Date of an RFC 3339 moment. */
export const formatDay = (moment: string): string => DAY.format(new Date(moment));
/** A whole number with separators. */
export const formatCount = (count: number): string => WHOLE.format(count);
/** A score or a threshold, 0..1, on all four decimals that the service gives: on fewer, both could read the same. */
export const formatScore = (score: number): string => score.toFixed(4);
/** The same for a score that there may be none of. */
export const formatAnyScore = (score: number | null): string => (score === null ? '–' : formatScore(score));
/** A share 0..1 in per cent. */
export const formatShare = (share: number): string =>
  `${(share * 100).toFixed(share < 0.1 ? 1 : 0).replace(/\.0$/, '')}%`;
/** Milliseconds. */
export const formatMs = (ms: number): string => (ms < 100 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`);

/** What people call the detectors and signals. */
export const SIGNAL_NAMES: Readonly<Record<Signal, string>> = {
  full_image_specialist: 'Whole picture',
  face_specialist: 'Face',
  content_credentials: 'Content Credentials',
};
