// Thresholds of an operator's own under a name of their own: for the command line and for the console.
import { countOf } from '../../base/count.js';
import { CheckError } from '../../base/errors.js';
import type { Bands } from '../../check/types.js';
import { nameBands } from './bands-file.js';
import { calibrate, type Aims, type Calibration } from './calibrate.js';
import { cautionOf } from './caution.js';
import type { SeenPicture, SeenPictures } from './see-pictures.js';

/** Genuine pictures: with fewer even 1% can't be told from 2%. */
export const LEAST_GENUINE = 300;

/** What thresholds are fitted to. */
export interface ThresholdsInput {
  readonly pictures: readonly SeenPicture[];
  /** What the pictures were seen with. */
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

/** Fits them, which takes seconds of this thread if there are many pictures. */
export function makeThresholds({ pictures, before, aims, name, madeAt }: ThresholdsInput): MadeThresholds {
  const calibration = calibrate(pictures, before, aims);
  return {
    calibration,
    bands: nameBands({ model: before.model, profiles: calibration.profiles }, name, madeAt),
    cautions: cautionOf(calibration.thresholds),
  };
}

/** Whether stricter profiles aim at fewer false alarms, and none at over half of all. */
export function areAims({ strict, balanced, sensitive }: Aims): boolean {
  return strict > 0 && strict <= balanced && balanced <= sensitive && sensitive <= 0.5;
}

/** Throws CheckError `invalid_request` if too few of the pictures are genuine. */
export function refuseFewGenuine({
  seen,
  copies,
  refused,
  contradictions,
  surplus,
}: Omit<SeenPictures, 'seen' | 'animations'> & {
  readonly seen: readonly { readonly isAi: boolean }[];
}): void {
  const genuine = seen.filter(({ isAi }) => !isAi).length;
  if (genuine >= LEAST_GENUINE) return;
  const most = surplus.length === 0 ? '' : `, ${surplus.length} beyond half of one account`;
  const others = `${countOf(copies.length, 'copy', 'copies')}, ${refused.length} refused, ${contradictions.length} of either label${most}`;
  throw new CheckError(
    'invalid_request',
    `Expected at least ${LEAST_GENUINE} genuine pictures, each another, but received ${genuine} (beside them ${others})`,
  );
}
