// The four words with which the console labels a check, and the reasons to look closer.
import type { CheckResult } from '../../src/library/check/result-schema.js';
import type { Attention } from '../../src/library/check/types.js';
import { findAttention } from '../../src/library/check/verdict/attention.js';
import type { ShownProfile } from '../../src/service/console/shapes.js';
import { thresholdOf } from './try/classify.js';

/** Label of a check in lists. `kind` selects the colour. */
export interface Chip {
  readonly word: 'AI detected' | 'Look closer' | 'Nothing to judge' | 'No AI detected';
  readonly kind: 'ai' | 'look' | 'blank' | 'none';
  /** Reason to look closer, in at most eight words; null without one. */
  readonly because: string | null;
}

const BECAUSE: Readonly<Record<Attention, string>> = {
  visible: 'It shows the visible mark of a generator',
  watermark: 'The pixels carry an AI watermark',
  mark: 'Unsigned data in the file declares AI',
  credentials: 'Unverified Content Credentials record AI',
  blank: 'The image has only one colour',
  part: 'One region looks generated',
  face: 'One of several faces scores high',
  score: 'A score is close to its threshold',
};

/** Returns the label for a verdict and a reason to look closer. */
export function chipOf(isAi: boolean, attention: Attention | null): Chip {
  if (isAi) return { word: 'AI detected', kind: 'ai', because: null };
  if (attention === null) return { word: 'No AI detected', kind: 'none', because: null };
  const because = BECAUSE[attention];
  return attention === 'blank'
    ? { word: 'Nothing to judge', kind: 'blank', because }
    : { word: 'Look closer', kind: 'look', because };
}

/** Returns a reason to look closer at the image, or null. `sensitive` has that profile's thresholds. */
export function attentionOf(result: CheckResult, isAi: boolean, sensitive: ShownProfile): Attention | null {
  const { warnings = [], marks = [], faces = [] } = result.details ?? {};
  const credentials = result.content_credentials;
  return findAttention({
    isAi,
    warnings,
    marks,
    credentialsRecordAi: credentials.found && credentials.ai,
    fullImageScore: result.scores.full_image_specialist,
    faceScore: result.scores.face_specialist,
    faceCount: faces.length,
    sensitive: {
      fullImage: thresholdOf(result, sensitive, 'full_image_specialist'),
      face: thresholdOf(result, sensitive, 'face_specialist'),
    },
  });
}
