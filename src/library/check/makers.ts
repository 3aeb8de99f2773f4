// Schema of results of makers' services, which tell whether a maker's own generator made an image.
import { Type } from '@sinclair/typebox';
import { named, nullable, oneOf, type ReadonlyStatic } from '../base/shape.js';

/** Signals by which makers' services recognise their images. */
const MAKER_SIGNALS = ['c2pa', 'synthid', 'watermark'] as const;

/** Reasons why a maker's service returned no result. */
const MAKER_FAILURES = [
  'unsupported_format',
  'needs_url',
  'quota_exceeded',
  'rate_limited',
  'not_authorized',
  'refused',
  'timed_out',
  'failed',
  'invalid_answer',
] as const;
/** Reason why a maker's service returned no result. */
export type MakerFailure = (typeof MAKER_FAILURES)[number];

const MakerText = nullable(Type.String({ maxLength: 64 }));

/** Schema of a maker's result, or of the reason for a missing one. */
export const MakerAnswerSchema = Type.Object({
  service: Type.String({ description: 'openai, azure; more may come' }),
  state: named('MakerState', oneOf(['answered', 'unavailable'] as const)),
  why: nullable(named('MakerFailure', oneOf(MAKER_FAILURES, 'why it is unavailable; null for an answer'))),
  signals: Type.Array(
    Type.Object({
      type: named('MakerSignal', oneOf(MAKER_SIGNALS, 'what it looked for, of its own making alone')),
      detected: Type.Boolean({
        description: 'false says nothing: signals get lost, and others make images, too',
      }),
      issuer: MakerText,
      model: MakerText,
      at: nullable(
        Type.String({ maxLength: 64, description: 'when the signal says that the image was made' }),
      ),
      validation: nullable(
        Type.String({ maxLength: 64, description: 'of the Content Credentials, in its words' }),
      ),
    }),
  ),
});

/** Result of a maker's service, or the reason for a missing one. */
export type MakerAnswer = ReadonlyStatic<typeof MakerAnswerSchema>;
