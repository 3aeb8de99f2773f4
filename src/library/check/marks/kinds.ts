// Kinds of marks: what a file declares or shows about how its image was made.
/** Kinds of marks that a file itself contains. */
export const FILE_MARK_KINDS = [
  'visible',
  'watermark',
  'generation_parameters',
  'job_id',
  'software',
  'digital_source_type',
  'credit',
  'edit_history',
  'ai_system',
  'aigc_label',
  'editor',
  'camera',
] as const;
/** All kinds of marks. A mark of kind `maker` comes from the service of a generator company, on request. */
export const MARK_KINDS = [...FILE_MARK_KINDS, 'maker'] as const;
/** Kind of a mark. */
export type MarkKind = (typeof MARK_KINDS)[number];

/** The part of a result that the filter reads. */
interface Marked {
  readonly details?: { readonly marks?: readonly { readonly kind: MarkKind }[] };
}

/**
 * Returns whether an image has a mark of one of `kinds`. Returns false for an error and for a result without
 * marks.
 */
export function carriesMark(result: object, kinds: readonly MarkKind[]): boolean {
  return (result as Marked).details?.marks?.some(({ kind }) => kinds.includes(kind)) ?? false;
}
