// When new thresholds should not be believed as they are: what they rest on, said before anybody serves them.
import { logOdds } from '../../base/log-odds.js';
import type { CalibratedThreshold } from './calibrate.js';

/** Of the aim: a threshold that let no more than this share of it fire has much room to fall. Chosen. */
const LITTLE_USED = 0.5;

/** A line for each kind of caution that the thresholds give cause for; none for those that stay. */
export function cautionOf(thresholds: readonly CalibratedThreshold[]): string[] {
  const moved = thresholds.filter(({ before, after }) => before.threshold !== after.threshold);
  const fallen = moved.filter(
    ({ aim, before, after }) =>
      after.threshold < before.threshold && before.falseAlarms.rate <= LITTLE_USED * aim,
  );
  const beyondChance = moved.filter(
    ({ aim, before: { falseAlarms } }) =>
      falseAlarms.pictures > 0 && (aim < falseAlarms.low || aim > falseAlarms.high),
  );
  return [
    ...say(
      fallen,
      'caution: at most half of the aim fired before, so the threshold falls; genuine pictures unlike these will be accused more often than the aim says',
    ),
    ...say(
      beyondChance,
      'caution: the threshold moves by more log odds than chance explains (the 95% interval of what fired before leaves the aim out), so these pictures differ from those of the shipped thresholds; look at what fires, and for wrong labels, before you serve it',
    ),
  ];
}

function say(thresholds: readonly CalibratedThreshold[], text: string): string[] {
  if (thresholds.length === 0) return [];
  const named = thresholds.map(({ profile, medium, before, after }) => {
    const odds = logOdds(after.threshold) - logOdds(before.threshold);
    const sign = odds < 0 ? '−' : '+';
    return `${profile} ${medium ?? 'face'} ${before.threshold.toFixed(4)} to ${after.threshold.toFixed(4)} (log odds ${sign}${Math.abs(odds).toFixed(2)})`;
  });
  return [`${text}: ${named.join(', ')}`];
}
