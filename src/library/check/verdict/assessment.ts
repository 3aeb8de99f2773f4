// The assessment: a coarse result for people, which can be unclear. The verdict stays the same.
import { applyBands, bandsOf, thresholdBetween } from '../thresholds/image-bands.js';
import type { CheckReport } from '../report.js';
import type { Assessment, AssessmentRates, MeasuredShare } from '../types.js';

/** The fields of a report that an assessment needs. */
type Assessed = Pick<
  CheckReport,
  | 'isAi'
  | 'fired'
  | 'reasons'
  | 'fullImageScore'
  | 'faceScore'
  | 'drawn'
  | 'warnings'
  | 'attention'
  | 'thresholds'
>;

/**
 * Returns the assessment.
 * `likely_ai`: verified credentials record AI, a known fake decides, or a score reaches the threshold of the
 * profile strict.
 * `no_ai_detected`: nothing was flagged, nothing deserves a closer look, and no score reaches its lower edge.
 * `unclear`: all other images, and images of one colour, in which there is nothing to judge.
 */
export function assess(check: Assessed): Assessment {
  const { isAi, warnings, attention, thresholds, drawn } = check;
  if (isDecided(check)) return 'likely_ai';
  if (warnings.some(({ code }) => code === 'image_blank')) return 'unclear';
  const scores = { fullImage: check.fullImageScore, face: check.faceScore };
  if (applyBands(scores, bandsOf(thresholds.profiles.strict, drawn)).length > 0) return 'likely_ai';
  const isNoted = attention !== null || isKnownFake(check, { isDecisive: false });
  return isAi || isNoted || reachesLowerEdge(check) ? 'unclear' : 'no_ai_detected';
}

/** Returns whether credentials or a known fake decided. No rates were measured for such decisions. */
function isDecided(check: Assessed): boolean {
  return check.fired.includes('content_credentials') || isKnownFake(check, { isDecisive: true });
}

/** Returns whether a matching known fake decides the verdict or, without `isDecisive`, is only mentioned. */
function isKnownFake({ reasons }: Assessed, { isDecisive }: { readonly isDecisive: boolean }): boolean {
  return reasons.some(
    ({ code, params }) => code === 'known_image' && params.label === 'fake' && params.decides === isDecisive,
  );
}

function reachesLowerEdge({ fullImageScore, faceScore, drawn, thresholds }: Assessed): boolean {
  const { assessment } = thresholds;
  // Thresholds without lower edges need no check here, because a score above `sensitive` is already noted.
  if (!assessment) return false;
  const { fullImage, face } = assessment.lowerEdges;
  return (fullImageScore ?? -1) >= thresholdBetween(fullImage, drawn ?? 0) || (faceScore ?? -1) >= face;
}

/**
 * Returns the measured rates of images with the same assessment. Null if no score decided, or for an
 * operator's own thresholds.
 */
export function ratesOfAssessment(check: Assessed): AssessmentRates | null {
  if (isDecided(check)) return null;
  return check.thresholds.assessment?.rates[assess(check)] ?? null;
}

/** Names of the assessments, for people. */
export const ASSESSMENT_WORDS: Readonly<Record<Assessment, string>> = {
  likely_ai: 'likely AI',
  unclear: 'unclear',
  no_ai_detected: 'no AI detected',
};

/**
 * Returns a sentence such as `of test images with this assessment, 94% (91 to 96%) are AI if 1 image in 10 is AI,
 * 99% (99 to 100%) if 1 in 2 is`.
 */
export function describeShares(at1In10: MeasuredShare, at1In2: MeasuredShare): string {
  return `of test images with this assessment, ${describeShare(at1In10)} are AI if 1 image in 10 is AI, ${describeShare(at1In2)} if 1 in 2 is`;
}

function describeShare({ rate, low, high }: MeasuredShare): string {
  const percent = (share: number): string => {
    const value = 100 * share;
    return value > 0 && value < 10 ? value.toFixed(1) : value.toFixed(0);
  };
  return `${percent(rate)}% (${percent(low)} to ${percent(high)}%)`;
}
