// Kinds of marks: those in a file, and those reported elsewhere.

/** Kinds of marks in a file. */
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
/** All kinds of marks; `maker` is reported by the image's maker on request. */
export const MARK_KINDS = [...FILE_MARK_KINDS, 'maker'] as const;
/** Kind of a mark. */
export type MarkKind = (typeof MARK_KINDS)[number];
