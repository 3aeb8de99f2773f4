// Thresholds of an operator's own under a name of their own: for the command line and for the console.
import { createHash } from 'node:crypto';
import { countOf } from 'telltale-engine/internal/base/count.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { logOdds } from 'telltale-engine/internal/base/log-odds.js';
import type { Band, Bands } from 'telltale-engine/internal/check/types.js';
import { calibrate, type Aims, type Calibration, type CalibratedThreshold } from './calibrate.js';
import type { SeenImage, SeenImages } from './see-images.js';

/** Names that may stand in the version of bands. */
export const OWN_NAME = /^[0-9A-Za-z](?:[0-9A-Za-z-]{0,30}[0-9A-Za-z])?$/;

/** Genuine images: with fewer even 1% can't be told from 2%. */
export const LEAST_GENUINE = 300;

/** Of the aim: a threshold that let no more than this share of it fire has much room to fall. Chosen. */
const LITTLE_USED = 0.5;

/** What thresholds are fitted to. */
export interface ThresholdsInput {
  readonly pictures: readonly SeenImage[];
  /** What the images were seen with. */
  readonly before: Bands;
  readonly aims: Aims;
  /** Stands in the version. */
  readonly name: string;
  readonly madeAt: Date;
}

/** What came of it. */
export interface MadeThresholds {
  readonly calibration: Calibration;
  readonly bands: Bands;
  /** A line for each reason to look twice. */
  readonly cautions: readonly string[];
}

/** Fits them, which takes seconds of this thread if there are many images. */
export function makeThresholds({ pictures, before, aims, name, madeAt }: ThresholdsInput): MadeThresholds {
  const calibration = calibrate(pictures, before, aims);
  return {
    calibration,
    bands: nameBands({ model: before.model, profiles: calibration.profiles }, name, madeAt),
    cautions: cautionOf(calibration.thresholds),
  };
}

/** Whether stricter profiles aim at fewer false positives, and none at over half of all. */
export function areAims({ strict, balanced, sensitive }: Aims): boolean {
  return strict > 0 && strict <= balanced && balanced <= sensitive && sensitive <= 0.5;
}

/** Throws CheckError `invalid_request` if too few of the images are genuine. */
export function refuseFewGenuine({
  seen,
  copies,
  refused,
  contradictions,
  surplus,
}: Omit<SeenImages, 'seen' | 'animations'> & {
  readonly seen: readonly { readonly isAi: boolean }[];
}): void {
  const genuine = seen.filter(({ isAi }) => !isAi).length;
  if (genuine >= LEAST_GENUINE) return;
  const most = surplus.length === 0 ? '' : `, ${surplus.length} beyond half of one account`;
  const others = `${countOf(copies.length, 'copy', 'copies')}, ${refused.length} refused, ${contradictions.length} of either label${most}`;
  throw new CheckError(
    'invalid_request',
    `Expected at least ${LEAST_GENUINE} genuine images, each another, but received ${genuine} (beside them ${others})`,
  );
}

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
      'caution: at most half of the aim fired before, so the threshold falls; genuine images unlike these will be flagged more often than the target FPR',
    ),
    ...say(
      beyondChance,
      'caution: the threshold moves by more log odds than chance explains (the 95% interval of what fired before leaves the aim out), so these images differ from those of the shipped thresholds; look at what fires, and for wrong labels, before you serve it',
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

/** The bands under a version of their own: the day, the operator's name for them, and a digest of what they say. */
export function nameBands({ model, profiles }: Omit<Bands, 'version'>, name: string, madeAt: Date): Bands {
  const digest = createHash('sha256')
    .update(JSON.stringify([model, profiles]))
    .digest('hex');
  return { version: `${madeAt.toISOString().slice(0, 10)}+${name}.${digest.slice(0, 8)}`, model, profiles };
}

/** The file's text; `loadBands` reads it. */
export function formatBands({ version, model, profiles }: Bands): string {
  const band = ({ threshold, falseAlarmRate, recall }: Band): object => ({
    threshold,
    false_alarm_rate: falseAlarmRate,
    recall,
  });
  const content = {
    version,
    model,
    profiles: Object.fromEntries(
      Object.entries(profiles).map(([profile, { fullImage, face }]) => [
        profile,
        {
          full_image_specialist: {
            photographed: band(fullImage.photographed),
            drawn: band(fullImage.drawn),
          },
          face_specialist: band(face),
        },
      ]),
    ),
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}
