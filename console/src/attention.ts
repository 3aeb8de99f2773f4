// The four things that the console says of a check, and what to do next where eyes are needed.
import type { CheckResult } from '../../src/check/present.js';
import type { Attention } from '../../src/check/types.js';
import { findAttention } from '../../src/check/verdict/attention.js';
import type { ShownProfile } from '../../src/service/console/shapes.js';
import { thresholdOf } from './try/classify.js';

/** One of the four. `kind` names the colour. */
export interface Chip {
  readonly word: 'AI detected' | 'Look closer' | 'Nothing to judge' | 'No AI detected';
  readonly kind: 'ai' | 'look' | 'blank' | 'none';
  /** The one reason to look closer, in eight words at most; null where there is none. */
  readonly because: string | null;
}

const BECAUSE: Readonly<Record<Attention, string>> = {
  visible: 'A generator drew its sign on it',
  watermark: 'The pixels carry an AI watermark',
  mark: 'The file itself speaks of AI, unsigned',
  credentials: 'Credentials that do not count record AI',
  blank: 'The picture is of one colour',
  part: 'One part looks generated',
  face: 'One of several faces scores high',
  score: 'A score is close to its threshold',
};

/** What to do next. */
export const NEXT_STEPS: Readonly<Record<Attention, string>> = {
  visible:
    'A sign can be drawn on any picture, so it decides nothing. Look at the corner at full size, and ask the sender where it was made.',
  watermark:
    'A watermark can be copied from another picture, so it decides nothing. Ask the sender for the original and where it was made.',
  mark: 'Anybody can write such a mark, so it decides nothing. Read it below, and ask the sender who made the picture, and how.',
  credentials:
    'Nobody vouches for who signed them, or the file was changed since. Read the chain below, and get the file from the signer.',
  blank: 'Check that this is the file that you meant; a blank picture can be judged by nobody.',
  part: 'Look at the outlined part at full size, and compare it with other pictures of the same scene.',
  face: 'Look at each face at full size: one false face among several is seldom found. Check a crop of the one that scores highest.',
  score:
    'The profile sensitive says AI. Look at the heat map, get the original file, and search for earlier copies of the picture.',
};

/** The chip of a check by its verdict and its reason to look closer. */
export function chipOf(isAi: boolean, attention: Attention | null): Chip {
  if (isAi) return { word: 'AI detected', kind: 'ai', because: null };
  if (attention === null) return { word: 'No AI detected', kind: 'none', because: null };
  const because = BECAUSE[attention];
  return attention === 'blank'
    ? { word: 'Nothing to judge', kind: 'blank', because }
    : { word: 'Look closer', kind: 'look', because };
}

/** The reason of a result to look closer, as far as its details tell, by thresholds of the profile `sensitive`. */
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
