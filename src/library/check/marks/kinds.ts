// The kinds of marks: those that a file carries, and what is found elsewhere.

/** By what a mark of a file is recognised. */
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
/** By what a mark is recognised; `maker`: a service of the image's maker says so, on request. */
export const MARK_KINDS = [...FILE_MARK_KINDS, 'maker'] as const;
/** One of them. */
export type MarkKind = (typeof MARK_KINDS)[number];
