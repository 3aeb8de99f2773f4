// Finding a reason to look closer at an image that was not flagged. It does not change the verdict.
import { ATTENTIONS, type Attention, type Mark, type Warning } from '../types.js';

/** Returns whether a mark states that AI made, edited or may have made the image. */
export function isAiMark({ says, kind }: Pick<Mark, 'says' | 'kind'>): boolean {
  return says !== 'camera' && kind !== 'editor';
}

/** Facts for the reasons, from a report or a result with `warnings`, `marks` and `thresholds`. */
export interface Seen {
  readonly isAi: boolean;
  readonly warnings: readonly Pick<Warning, 'code'>[];
  readonly marks: readonly Pick<Mark, 'kind' | 'says'>[];
  /** True if credentials in the file record AI, verified or not. */
  readonly credentialsRecordAi: boolean;
  /** Score of the whole image, or null. */
  readonly fullImageScore: number | null;
  readonly faceScore: number | null;
  readonly faceCount: number;
  /** Thresholds of the profile sensitive for this image. */
  readonly sensitive: { readonly fullImage: number; readonly face: number };
}

/** Returns the strongest reason to look closer, or null. An AI verdict needs no reason. */
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
