// The assessment, shown to people as a headline, which can be unclear. The verdict for programs (`isAi`) stays the same.
import { applyBands, bandsOf, thresholdBetween } from '../thresholds/image-bands.js';
import type { CheckReport } from '../report.js';
import { ASSESSMENTS, type Assessment, type AssessmentRates, type MeasuredShare } from '../types.js';

/** The fields of a report that an assessment needs. */
export type Assessed = Pick<
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
  if (isDecided(check)) return 'likely_ai';
  if (isBlank(check)) return 'unclear';
  const byScores = assessScores(check);
  return byScores === 'no_ai_detected' && check.attention !== null ? 'unclear' : byScores;
}

/** Returns the assessment that the scores alone give. */
function assessScores(check: Assessed): Assessment {
  const { isAi, fullImageScore: fullImage, faceScore: face, thresholds, drawn } = check;
  if (applyBands({ fullImage, face }, bandsOf(thresholds.profiles.strict, drawn)).length > 0)
    return 'likely_ai';
  return isAi || reachesLowerEdge(check) ? 'unclear' : 'no_ai_detected';
}

/** Returns whether credentials or a known fake decided. No rates were measured for such decisions. */
function isDecided({ fired, reasons }: Assessed): boolean {
  return (
    fired.includes('content_credentials') ||
    reasons.some(({ code, params }) => code === 'known_image' && params.decides)
  );
}

function isBlank({ warnings }: Assessed): boolean {
  return warnings.some(({ code }) => code === 'image_blank');
}

function reachesLowerEdge({ fullImageScore, faceScore, drawn, thresholds }: Assessed): boolean {
  const { assessment } = thresholds;
  // Thresholds without lower edges need no check here, because a score above `sensitive` deserves a closer look.
  if (!assessment) return false;
  const { fullImage, face } = assessment.lowerEdges;
  return (fullImageScore ?? -1) >= thresholdBetween(fullImage, drawn ?? 0) || (faceScore ?? -1) >= face;
}

/**
 * Returns the measured rates of images with the same assessment. Null if no score decided, or for an
 * operator's own thresholds.
 */
export function ratesOfAssessment(check: Assessed): AssessmentRates | null {
  const assessment = assess(check);
  const isByScores = assessment === assessScores(check) && !isDecided(check) && !isBlank(check);
  return isByScores ? (check.thresholds.assessment?.rates[assessment] ?? null) : null;
}

/** Headlines of the assessments, which people see on every surface. */
export const HEADLINES: Readonly<Record<Assessment, string>> = {
  likely_ai: 'AI detected',
  unclear: 'Unclear',
  no_ai_detected: 'No AI detected',
};

/** Returns counts such as `3 AI detected, 1 unclear, 2 no AI detected`. */
export function countHeadlines(counts: Readonly<Record<Assessment, number>>): string {
  const words = { likely_ai: 'AI detected', unclear: 'unclear', no_ai_detected: 'no AI detected' };
  return ASSESSMENTS.map((assessment) => `${counts[assessment]} ${words[assessment]}`).join(', ');
}

/** Pattern of the headline at the start of a reason. */
const HEADLINE_PREFIX = /^(AI detected|Unclear|No AI detected):\s/;

/** Returns a reason without its headline, for places that show the headline themselves. */
export function withoutHeadline(reason: string): string {
  return reason.replace(HEADLINE_PREFIX, '');
}

/**
 * Returns the assessment of a result, whose reason begins with the headline. Without a reason, and for results
 * of Telltale before 1.3, `is_ai` gives the assessment.
 */
export function assessmentOf({ is_ai: isAi, reason }: Answered): Assessment {
  const headline = HEADLINE_PREFIX.exec(reason ?? '')?.[1];
  const byHeadline = ASSESSMENTS.find((assessment) => HEADLINES[assessment] === headline);
  return byHeadline ?? (isAi ? 'likely_ai' : 'no_ai_detected');
}

/** The fields of a result that give its headline. */
interface Answered {
  readonly is_ai: boolean;
  readonly reason: string | null;
}

/**
 * Returns a sentence such as `Of 100 images with this result, about 28 were AI when 1 in 10 images was AI, and
 * about 77 when 1 in 2 was.`
 */
export function describeShares(at1In10: MeasuredShare, at1In2: MeasuredShare): string {
  const [few, many] = [at1In10, at1In2].map(describeCount);
  const verb = Math.round(100 * at1In10.rate) <= 1 ? 'was' : 'were';
  return `Of 100 images with this result, ${few} ${verb} AI when 1 in 10 images was AI, and ${many} when 1 in 2 was.`;
}

function describeCount({ rate }: MeasuredShare): string {
  const count = Math.round(100 * rate);
  if (count === 0) return 'fewer than 1';
  return count === 100 ? 'more than 99' : `about ${count}`;
}
