// Applies the thresholds of another profile to a result, so that no new check is needed.
import { thresholdBetween } from '../../../src/library/check/thresholds/image-bands.js';
import type { CheckResult } from '../../../src/library/check/result-schema.js';
import type { ProfileName, Signal } from '../../../src/library/check/types.js';
import type { ShownProfile } from '../../../src/service/console/shapes.js';
import { formatScore, SIGNAL_NAMES } from '../format.js';

/** Profiles in order, from the fewest false positives to the most detected AI images. */
export const PROFILES: readonly ProfileName[] = ['strict', 'balanced', 'sensitive'];

/** Purpose of each profile in a few words. */
export const PROFILE_HINTS: Readonly<Record<ProfileName, string>> = {
  strict: 'fewest false positives',
  balanced: 'the default',
  sensitive: 'fewest misses',
};

/** Name of a detector that returns a score. */
export type Detector = 'full_image_specialist' | 'face_specialist';

/** Returns the threshold that applies to this image for a detector and a profile. */
export function thresholdOf(result: CheckResult, bands: ShownProfile, detector: Detector): number {
  if (detector === 'face_specialist') return bands.face_specialist.threshold;
  const { photographed, drawn } = bands.full_image_specialist;
  return thresholdBetween(
    { photographed: photographed.threshold, drawn: drawn.threshold },
    result.details?.thresholds?.drawn ?? 0,
  );
}

/** A verdict under one profile. */
export interface Classification {
  readonly isAi: boolean;
  readonly fired: readonly Signal[];
  readonly reason: string;
}

/**
 * Returns the verdict under `profile`. For the profile of the check this is the verdict of the result, otherwise the
 * verdict that its scores give.
 */
export function classify(result: CheckResult, profile: ProfileName, bands: ShownProfile): Classification {
  if (profile === result.profile || result.fired.includes('content_credentials'))
    return { isAi: result.is_ai, fired: result.fired, reason: result.reason };
  const detectors = ['full_image_specialist', 'face_specialist'] as const;
  const fired = detectors.filter((name) => (result.scores[name] ?? -1) >= thresholdOf(result, bands, name));
  const comparisons = detectors.flatMap((name) => {
    const score = result.scores[name];
    if (score === null) return [];
    const threshold = thresholdOf(result, bands, name);
    const sign = score >= threshold ? '≥' : '<';
    return [`${SIGNAL_NAMES[name].toLowerCase()} ${formatScore(score)} ${sign} ${formatScore(threshold)}`];
  });
  const isAi = fired.length > 0;
  const flag = `the profile ${profile} ${isAi ? 'flags' : 'does not flag'} the image`;
  return { isAi, fired, reason: `${flag}: ${comparisons.join(', ')}` };
}
