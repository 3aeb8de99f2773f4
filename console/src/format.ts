// Formats numbers, times and names for people, in the reader's time zone.
import type { Signal } from '../../src/library/check/types.js';
import { withoutHeadline } from '../../src/library/check/verdict/assessment.js';

const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const WHOLE = new Intl.NumberFormat();

/** Formats an RFC 3339 time as date and time. */
export const formatMoment = (moment: string): string => MOMENT.format(new Date(moment));
/** Formats an RFC 3339 time as a date. */
export const formatDay = (moment: string): string => DAY.format(new Date(moment));
/** Returns the reason of a verdict as a sentence. Removes the headline, which is shown next to the reason. */
export function withoutVerdict(reason: string): string {
  return asSentence(withoutHeadline(reason));
}
/** Returns a message with a capital letter and a full stop. Replaces `image_url` by "the address". */
export function asSentence(message: string): string {
  const text = message.replace(/^image_url\b/, 'the address');
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;
}
/** Formats a whole number with thousands separators. */
export const formatCount = (count: number): string => WHOLE.format(count);
/** Formats a score or threshold, 0..1, with four decimals. With fewer, a score could look equal to its threshold. */
export const formatScore = (score: number): string => score.toFixed(4);
/** Formats a score, or a dash for null. */
export const formatAnyScore = (score: number | null): string => (score === null ? '–' : formatScore(score));
/** Formats a share, 0..1, as per cent. Rounds up, so that a false-positive rate never looks lower than it is. */
export const formatShare = (share: number): string => {
  const steps = share < 0.1 ? 1000 : 100;
  // Subtracts a little, because a floating-point product can be slightly too large.
  return `${(Math.ceil(share * steps - 1e-9) * 100) / steps}%`;
};
/** Formats milliseconds. */
export const formatMs = (ms: number): string => (ms < 100 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`);

/** Returns a name for a scan, such as `the scan of 3 May 2026, 14:05`. Reads the time from the scan's identifier. */
export function nameScan(id: string): string {
  const time = /^scn_([0-9A-HJKMNP-TV-Z]{10})/.exec(id)?.[1];
  if (time === undefined) return 'a scan';
  // A ULID starts with its time in milliseconds in Crockford's base 32.
  const ms = [...time].reduce((sum, letter) => sum * 32 + BASE32.indexOf(letter), 0);
  return `the scan of ${MOMENT.format(new Date(ms))}`;
}
const BASE32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Formats a waiting time in seconds or minutes, rounded up. */
export function formatWait(seconds: number): string {
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
}

/** Display names of detectors and other signals. */
export const SIGNAL_NAMES: Readonly<Record<Signal, string>> = {
  full_image_specialist: 'Whole image',
  face_specialist: 'Face',
  content_credentials: 'Content Credentials',
};

/** Names of detectors and other signals for use within a sentence. */
const SIGNAL_WORDS: Readonly<Record<Signal, string>> = {
  full_image_specialist: 'the whole image',
  face_specialist: 'the face',
  content_credentials: 'its Content Credentials',
};
/** Returns the signals that flagged the image as text, such as `the whole image and the face`. */
export const describeSignals = (fired: readonly Signal[]): string =>
  fired.map((name) => SIGNAL_WORDS[name]).join(' and ');

/** Returns the decision on an appeal in one word. */
export function describeDecision(outcome: 'verdict_confirmed' | 'verdict_overturned'): string {
  return outcome === 'verdict_confirmed' ? 'confirmed' : 'overturned';
}
