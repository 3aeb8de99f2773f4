// What services of image makers say of an image, on request: shown in the details of a result.
import { Type } from '@sinclair/typebox';
import { nullable, oneOf, type ReadonlyStatic } from '../base/shape.js';

/** Signals that services of image makers look for. */
const MAKER_SIGNALS = ['c2pa', 'synthid', 'watermark'] as const;

/** Why a service of a maker gave no answer. */
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
/** One of them. */
export type MakerFailure = (typeof MAKER_FAILURES)[number];

const MakerText = nullable(Type.String({ maxLength: 64 }));

/** What a service of a maker said of the image, or why it said nothing. */
export const MakerAnswerSchema = Type.Object({
  service: Type.String({ description: 'openai, azure; more may come' }),
  state: oneOf(['answered', 'unavailable'] as const),
  why: nullable(oneOf(MAKER_FAILURES, 'why it is unavailable; null for an answer')),
  signals: Type.Array(
    Type.Object({
      type: oneOf(MAKER_SIGNALS, 'what it looked for, of its own making alone'),
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

/** What a service of a maker said, or why it said nothing. */
export type MakerAnswer = ReadonlyStatic<typeof MakerAnswerSchema>;
