// Finding a reason to look closer at an image that was not flagged. It does not change the verdict.
import { ATTENTIONS, type Attention, type Mark, type Warning } from '../types.js';

/** Returns whether a mark states that AI made, edited or may have made the image. */
export function isAiMark({ says, kind }: Pick<Mark, 'says' | 'kind'>): boolean {
  return says !== 'camera' && kind !== 'editor';
}

/** Facts for the reasons, from a report or a result with `warnings`, `marks` and `thresholds`. */
export interface AttentionEvidence {
  readonly isAi: boolean;
  readonly warnings: readonly Pick<Warning, 'code'>[];
  readonly marks: readonly Pick<Mark, 'kind' | 'says'>[];
  /** True if credentials in the file record AI, verified or not. */
  readonly credentialsRecordAi: boolean;
  /** True if the file was changed after its credentials were signed. */
  readonly isTampered: boolean;
  /** True if the operator lists the image as fake, which does not decide here. */
  readonly isKnownFake: boolean;
  /** Score of the whole image, or null. */
  readonly fullImageScore: number | null;
  readonly faceScore: number | null;
  readonly faceCount: number;
  /** Thresholds of the profile sensitive for this image. */
  readonly sensitive: { readonly fullImage: number; readonly face: number };
}

/** Returns the strongest reason to look closer, or null. An AI verdict needs no reason. */
export function findAttention(evidence: AttentionEvidence): Attention | null {
  const { warnings, marks, sensitive } = evidence;
  if (evidence.isAi) return null;
  const hasWarning = (warningCode: Warning['code']): boolean =>
    warnings.some(({ code }) => code === warningCode);
  const aiMarks = marks.filter(isAiMark);
  const isHigh = {
    fullImage: (evidence.fullImageScore ?? -1) >= sensitive.fullImage,
    face: (evidence.faceScore ?? -1) >= sensitive.face,
  };
  const isPresent: Readonly<Record<Attention, boolean>> = {
    known: evidence.isKnownFake,
    visible: aiMarks.some(({ kind }) => kind === 'visible'),
    watermark: aiMarks.some(({ kind }) => kind === 'watermark'),
    mark: aiMarks.length > 0,
    credentials: evidence.credentialsRecordAi,
    tampered: evidence.isTampered,
    blank: hasWarning('image_blank'),
    part: hasWarning('part_generated'),
    face: isHigh.face && evidence.faceCount > 1,
    score: isHigh.face || isHigh.fullImage,
  };
  return ATTENTIONS.find((reason) => isPresent[reason]) ?? null;
}
