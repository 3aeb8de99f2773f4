// Makes a thresholds file from an operator's own images, for the command line and the console.
import { createHash } from 'node:crypto';
import { countOf, logOdds } from 'telltale-engine/internal/base/numbers.js';
import { invalidRequest } from 'telltale-engine/internal/base/errors.js';
import type { Band, Bands } from 'telltale-engine/internal/check/types.js';
import { calibrate, type Aims, type Calibration, type CalibratedThreshold } from './calibrate.js';
import type { FitImage, FitImages } from './fit-images.js';

/** Pattern of the name that an operator gives the thresholds. The name becomes part of their version. */
export const OWN_NAME = /^[0-9A-Za-z](?:[0-9A-Za-z-]{0,30}[0-9A-Za-z])?$/;

/** Minimum number of genuine images. With fewer, false-positive rates of 1% and 2% can't be distinguished. */
export const MIN_GENUINE_IMAGES = 300;

/** Number of genuine images of a kind below which there is a warning: one image would be over 1%. */
const FEW_GENUINE_IMAGES = 100;

/** Share of the chosen false-positive rate. Lowering a threshold that flagged less adds a warning. */
const LITTLE_USED = 0.5;

/** Input of `makeThresholds`. */
export interface ThresholdsInput {
  readonly images: readonly FitImage[];
  /** Thresholds with which the images were scored. */
  readonly before: Bands;
  readonly aims: Aims;
  /** Name that the operator gives the thresholds. */
  readonly name: string;
  readonly madeAt: Date;
}

/** Result of `makeThresholds`. */
export interface MadeThresholds {
  readonly calibration: Calibration;
  readonly bands: Bands;
  /** Warnings for the operator, one line each. */
  readonly cautions: readonly string[];
}

/** Fits the thresholds. Blocks the thread for seconds if there are many images. */
export function makeThresholds({ images, before, aims, name, madeAt }: ThresholdsInput): MadeThresholds {
  const calibration = calibrate(images, before, aims);
  return {
    calibration,
    bands: nameBands({ model: before.model, profiles: calibration.profiles }, name, madeAt),
    cautions: cautionOf(calibration.thresholds),
  };
}

/** Returns whether the chosen false-positive rates rise from strict to sensitive and are at most one half. */
export function areAims({ strict, balanced, sensitive }: Aims): boolean {
  return strict > 0 && strict <= balanced && balanced <= sensitive && sensitive <= 0.5;
}

/** Throws CheckError `invalid_request` if there are too few genuine images. */
export function refuseFewGenuine({
  usable,
  copies,
  refused,
  contradictions,
  surplus,
}: Omit<FitImages, 'usable' | 'animations'> & {
  readonly usable: readonly { readonly isAi: boolean }[];
}): void {
  const genuine = usable.filter(({ isAi }) => !isAi).length;
  if (genuine >= MIN_GENUINE_IMAGES) return;
  const most = surplus.length === 0 ? '' : `, ${surplus.length} beyond half of one account`;
  const leftOutNote = `${countOf(copies.length, 'copy', 'copies')}, ${refused.length} refused, ${contradictions.length} with both labels${most}`;
  throw invalidRequest(
    `Expected at least ${MIN_GENUINE_IMAGES} different genuine images but received ${genuine}. Not counted: ${leftOutNote}`,
  );
}

/** Returns the warnings about changed thresholds, at most one line for each reason. */
export function cautionOf(thresholds: readonly CalibratedThreshold[]): string[] {
  const moved = thresholds.filter(({ before, after }) => before.threshold !== after.threshold);
  const fallen = moved.filter(
    ({ aim, before, after }) =>
      after.threshold < before.threshold && before.falseAlarms.rate <= LITTLE_USED * aim,
  );
  const beyondChance = moved.filter(
    ({ aim, before: { falseAlarms } }) =>
      falseAlarms.images > 0 && (aim < falseAlarms.low || aim > falseAlarms.high),
  );
  const fewImages = moved.filter(({ before: { falseAlarms } }) => falseAlarms.images < FEW_GENUINE_IMAGES);
  return [
    ...say(
      fewImages,
      `caution: fitted to fewer than ${FEW_GENUINE_IMAGES} genuine images, so the false-positive rate is uncertain; add genuine images of this kind`,
    ),
    ...say(
      fallen,
      'caution: the threshold falls, because the old one flagged at most half of the target FPR; genuine images unlike these will be flagged more often than the target FPR',
    ),
    ...say(
      beyondChance,
      'caution: the threshold moves by more log odds than chance explains (the 95% interval of the former FPR excludes the target FPR), so these images differ from those of the shipped thresholds; look at the flagged images, and for wrong labels, before you use it',
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

/** Returns the thresholds with a version: the day, the operator's name for them, and a hash of their content. */
export function nameBands({ model, profiles }: Omit<Bands, 'version'>, name: string, madeAt: Date): Bands {
  const digest = createHash('sha256')
    .update(JSON.stringify([model, profiles]))
    .digest('hex');
  return { version: `${madeAt.toISOString().slice(0, 10)}+${name}.${digest.slice(0, 8)}`, model, profiles };
}

/** Formats thresholds as a file that `loadBands` can read. */
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
