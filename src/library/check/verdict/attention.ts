// Reasons to look closer at images that were not flagged. The verdict stays unchanged.
import { ATTENTIONS, type Attention, type Mark, type Warning } from '../types.js';

/** Returns whether a mark states that AI made or edited the image, or may have. */
export function isAiMark({ says, kind }: Pick<Mark, 'says' | 'kind'>): boolean {
  return says !== 'camera' && kind !== 'editor';
}

/** The used parts of a check, from a report or from a result with `warnings`, `marks` and `thresholds`. */
export interface Seen {
  readonly isAi: boolean;
  readonly warnings: readonly Pick<Warning, 'code'>[];
  readonly marks: readonly Pick<Mark, 'kind' | 'says'>[];
  /** True if embedded credentials record AI, verified or not. */
  readonly credentialsRecordAi: boolean;
  /** Score of the whole image, or null. */
  readonly fullImageScore: number | null;
  readonly faceScore: number | null;
  readonly faceCount: number;
  /** Thresholds of the profile sensitive for this image. */
  readonly sensitive: { readonly fullImage: number; readonly face: number };
}

/** Returns the strongest reason, or null for an AI verdict and without a reason. */
export function findAttention(seen: Seen): Attention | null {
  const { warnings, marks, sensitive } = seen;
  if (seen.isAi) return null;
  const hasWarning = (wanted: Warning['code']): boolean => warnings.some(({ code }) => code === wanted);
  const ofAi = marks.filter(isAiMark);
  const isHigh = {
    fullImage: (seen.fullImageScore ?? -1) >= sensitive.fullImage,
    face: (seen.faceScore ?? -1) >= sensitive.face,
  };
  const holds: Readonly<Record<Attention, boolean>> = {
    visible: ofAi.some(({ kind }) => kind === 'visible'),
    watermark: ofAi.some(({ kind }) => kind === 'watermark'),
    mark: ofAi.length > 0,
    credentials: seen.credentialsRecordAi,
    blank: hasWarning('image_blank'),
    part: hasWarning('part_generated'),
    face: isHigh.face && seen.faceCount > 1,
    score: isHigh.face || isHigh.fullImage,
  };
  return ATTENTIONS.find((reason) => holds[reason]) ?? null;
}
