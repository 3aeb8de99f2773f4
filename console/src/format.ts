// Numbers, moments and names as readers expect them, in their own time zone.
import type { Signal } from '../../src/library/check/types.js';

const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const WHOLE = new Intl.NumberFormat();

/** Date and time of an RFC 3339 moment. */
export const formatMoment = (moment: string): string => MOMENT.format(new Date(moment));
/** Date of an RFC 3339 moment. */
export const formatDay = (moment: string): string => DAY.format(new Date(moment));
/** A reason without the verdict that stands beside it, as a sentence. */
export function withoutVerdict(reason: string): string {
  return asSentence(reason.replace(/^(No )?AI detected:? /, ''));
}
/** A message with a capital letter and a full stop; what the interface calls `image_url` is an address to people. */
export function asSentence(message: string): string {
  const text = message.replace(/^image_url\b/, 'the address');
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;
}
/** A whole number with separators. */
export const formatCount = (count: number): string => WHOLE.format(count);
/** A score or a threshold, 0..1, on all four decimals that the service gives: on fewer, both could read the same. */
export const formatScore = (score: number): string => score.toFixed(4);
/** The same for a score that there may be none of. */
export const formatAnyScore = (score: number | null): string => (score === null ? '–' : formatScore(score));
/** A share 0..1 in per cent, rounded up: an FPR is never shown lower than it is. */
export const formatShare = (share: number): string => {
  const steps = share < 0.1 ? 1000 : 100;
  // A float may lie a little above the step that it stands for.
  return `${(Math.ceil(share * steps - 1e-9) * 100) / steps}%`;
};
/** Milliseconds. */
export const formatMs = (ms: number): string => (ms < 100 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`);

/** A scan by the moment that its identifier begins with, as `scan of ...`. */
export function nameScan(id: string): string {
  const time = /^scn_([0-9A-HJKMNP-TV-Z]{10})/.exec(id)?.[1];
  if (time === undefined) return 'a scan';
  // ULID: milliseconds in Crockford's base 32.
  const ms = [...time].reduce((sum, letter) => sum * 32 + BASE32.indexOf(letter), 0);
  return `the scan of ${MOMENT.format(new Date(ms))}`;
}
const BASE32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A time to wait, rounded up. */
export function formatWait(seconds: number): string {
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
}

/** What people call the detectors and signals. */
export const SIGNAL_NAMES: Readonly<Record<Signal, string>> = {
  full_image_specialist: 'Whole image',
  face_specialist: 'Face',
  content_credentials: 'Content Credentials',
};

/** The same within a sentence. */
const SIGNAL_WORDS: Readonly<Record<Signal, string>> = {
  full_image_specialist: 'the whole image',
  face_specialist: 'the face',
  content_credentials: 'its Content Credentials',
};
/** What fired, as `the whole picture and the face`. */
export const tellSignals = (fired: readonly Signal[]): string =>
  fired.map((name) => SIGNAL_WORDS[name]).join(' and ');
