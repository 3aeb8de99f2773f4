// The headline with which the console labels a check, and the reasons to look closer.
import type { CheckResult } from '../../src/library/check/result-schema.js';
import type { Assessment, Attention } from '../../src/library/check/types.js';
import { assessmentOf, HEADLINES } from '../../src/library/check/verdict/assessment.js';
import { findAttention } from '../../src/library/check/verdict/attention.js';
import type { Outcome } from '../../src/accounts/history/outcomes.js';
import type { ShownCheck, ShownProfile } from '../../src/service/console/shapes.js';
import { thresholdOf } from './try/classify.js';

/** Label of a check in lists. `kind` selects the colour. */
export interface Chip {
  readonly word: string;
  readonly kind: Outcome;
  /** Reason to look closer, in at most eight words; null without one. */
  readonly because: string | null;
}

const BECAUSE: Readonly<Record<Attention, string>> = {
  known: 'The operator lists this image as fake',
  visible: 'It shows the visible mark of a generator',
  watermark: 'The pixels carry an AI watermark',
  mark: 'Unsigned data in the file declares AI',
  credentials: 'Unverified Content Credentials record AI',
  tampered: 'The file was changed after it was signed',
  blank: 'The image has only one colour',
  part: 'One region looks generated',
  face: 'One of several faces scores high',
  score: 'A score is close to its threshold',
};

/** Names of the outcomes that people count. */
export const OUTCOME_NAMES: Readonly<Record<Outcome, string>> = { ...HEADLINES, overturned: 'Overturned' };

/** Returns the label of a check of the history. The verdict of an overturned check no longer counts. */
export function chipOfCheck({ assessment, attention, appeal }: ShownCheck): Chip {
  if (appeal !== 'overturned') return chipOf(assessment, attention);
  return { word: OUTCOME_NAMES.overturned, kind: 'overturned', because: `It was: ${HEADLINES[assessment]}` };
}

/** Returns the label for an assessment and a reason to look closer. */
export function chipOf(assessment: Assessment, attention: Attention | null): Chip {
  const because = attention === null ? null : BECAUSE[attention];
  return { word: HEADLINES[assessment], kind: assessment, because };
}

/** Returns the assessment of a new result. It is the same in all profiles. */
export function assessmentOfResult(result: CheckResult): Assessment {
  return result.details?.assessment ?? assessmentOf(result);
}

/** Returns a reason to look closer at the image, or null. `sensitive` has that profile's thresholds. */
export function attentionOf(result: CheckResult, isAi: boolean, sensitive: ShownProfile): Attention | null {
  const { warnings = [], marks = [], faces = [], reasons = [], credentials: manifest } = result.details ?? {};
  const credentials = result.content_credentials;
  return findAttention({
    isAi,
    warnings,
    marks,
    credentialsRecordAi: credentials.found && credentials.ai,
    isTampered: manifest?.state === 'tampered',
    isKnownFake: reasons.some(
      ({ code, params }) => code === 'known_image' && 'label' in params && params.label === 'fake',
    ),
    fullImageScore: result.scores.full_image_specialist,
    faceScore: result.scores.face_specialist,
    faceCount: faces.length,
    sensitive: {
      fullImage: thresholdOf(result, sensitive, 'full_image_specialist'),
      face: thresholdOf(result, sensitive, 'face_specialist'),
    },
  });
}
