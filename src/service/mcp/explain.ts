// Explains a check to an AI assistant: scores, thresholds, error rates, and what the file declares.
import { MIN_FACE_PX } from 'telltale-engine/internal/base/limits.js';
import { percentDown, percentUp } from 'telltale-engine/internal/base/numbers.js';
import { visibleText } from 'telltale-engine/internal/base/visible-text.js';
import type { PresentedBand } from 'telltale-engine/internal/check/details-schema.js';
import type { CheckResult } from 'telltale-engine/internal/check/result-schema.js';
import type { DetailName } from 'telltale-engine/internal/check/types.js';
import { quoteName } from 'telltale-engine/internal/check/verdict/quoted-name.js';
import { withoutHeadline } from 'telltale-engine/internal/check/verdict/assessment.js';
import type { AppealState } from '../../accounts/appeals/appeals.js';
import { FILE_TEXTS, limitsOf, verdictOf } from './answers.js';

/** Details of a check that an explanation needs. */
const EXPLAINING: readonly DetailName[] = ['faces', 'credentials', 'thresholds', 'warnings', 'marks'];

/** Returns the details to request for an assistant's check. */
export function detailsFor({ heatMap }: { readonly heatMap: boolean }): readonly DetailName[] {
  return heatMap ? [...EXPLAINING, 'heatmap'] : EXPLAINING;
}

/** A new or earlier check. Fields that the history did not store are null. */
export type ExplainedCheck = Omit<CheckResult, 'reason' | 'content_credentials'> & {
  readonly reason: CheckResult['reason'] | null;
  readonly content_credentials: CheckResult['content_credentials'] | null;
  /** State of the appeals against an earlier check. */
  readonly appeal?: AppealState | null | undefined;
};

/** Explains a check in several lines that an assistant can pass on. Quotes texts from the file. */
export function explainCheck(result: ExplainedCheck): string {
  return [
    verdictOf(result),
    `${result.appeal === 'overturned' ? 'Reason of the overturned verdict' : 'Reason'}: ${visibleText(withoutHeadline(result.reason ?? 'not kept'))}`,
    ...describeDetectors(result),
    describeCredentials(result),
    ...describeMarks(result),
    ...(result.details?.warnings ?? []).map(({ message }) => `Bear in mind: ${visibleText(message)}`),
    'The two scores have different scales. Do not compare or average them.',
    FILE_TEXTS,
    `Limits: ${limitsOf(result)}`,
  ].join('\n');
}

function describeDetectors({ scores, details, fired }: ExplainedCheck): string[] {
  const { full_image_specialist: whole, face_specialist: face } = scores;
  if (whole === null) return ['No detector ran: verified Content Credentials decided.'];
  const thresholds = details?.thresholds;
  return [
    describeDetector('The image as a whole', whole, thresholds?.full_image_specialist),
    face === null
      ? `Faces: none of at least ${MIN_FACE_PX} px was found, so none was scored.`
      : describeDetector('The face that looks most suspicious', face, thresholds?.face_specialist),
    `What decided: ${fired.length === 0 ? 'nothing reached its threshold' : fired.join(', ')}.`,
  ];
}

function describeDetector(name: string, score: number, band: PresentedBand | undefined): string {
  if (band === undefined) return `${name}: score ${score} of 0 to 1.`;
  const side = score >= band.threshold ? 'at or above' : 'below';
  const { clean, web, hard } = band.recall;
  const found = Object.entries({ clean, 'of the web': web, 'badly compressed': hard })
    .filter(([, share]) => share !== null)
    .map(([tier, share]) => `${percentDown(share ?? 0)} ${tier}`);
  return (
    `${name}: score ${score}, ${side} its threshold ${band.threshold}. Its false-positive rate there is ${percentUp(band.false_alarm_rate)} ` +
    `of genuine images${found.length === 0 ? '' : `, its recall of AI images ${found.join(', ')}`} (measured on sources left out of training).`
  );
}

function describeCredentials({ content_credentials: found, details }: ExplainedCheck): string {
  if (found === null) return 'Content Credentials: not stored with this check.';
  if (!found.found) return 'Content Credentials: none embedded. This is normal and proves nothing.';
  const signer = found.signer === null ? 'a signer that could not be read' : `“${quoteName(found.signer)}”`;
  const state = details?.credentials?.state ?? (found.verified ? 'verified' : 'not verified');
  const says = found.ai ? 'they record AI' : 'they do not record AI';
  return `Content Credentials: ${state}, by ${signer}; ${says}. Only verified Content Credentials count.`;
}

/** Describes marks without their texts, in which anybody could write instructions to an assistant. */
function describeMarks({ details }: ExplainedCheck): string[] {
  return (details?.marks ?? []).map(({ kind, generator, says, where }) => {
    const by = generator === null ? '' : ` by “${quoteName(generator)}”`;
    return `The file declares: ${says.replaceAll('_', ' ')}${by} (${kind}, in ${visibleText(where)}). This declaration is unsigned, so it does not decide the verdict.`;
  });
}
