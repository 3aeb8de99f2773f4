// Schema of results from provenance services: each is run by a company with an image generator, and tells
// whether this generator made an image.
import { Type } from '@sinclair/typebox';
import { named, nullable, oneOf, type ReadonlyStatic } from '../base/shape.js';

/** Signals by which a generator company's service recognises images from its own generator. */
const MAKER_SIGNALS = ['c2pa', 'synthid', 'watermark'] as const;

/** Reasons why a generator company's service returned no result. */
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
/** Reason why a generator company's service returned no result. */
export type MakerFailure = (typeof MAKER_FAILURES)[number];

const MakerText = nullable(Type.String({ maxLength: 64 }));

/** Schema of a generator company's result, or of the reason for a missing result. */
export const MakerAnswerSchema = Type.Object({
  service: Type.String({
    description: 'name of the service, such as openai or azure; new ones may be added',
  }),
  state: named(
    'MakerState',
    oneOf(['answered', 'unavailable'] as const, 'whether the service returned a result'),
  ),
  why: nullable(
    named(
      'MakerFailure',
      oneOf(MAKER_FAILURES, 'reason why the service returned no result; null with a result'),
    ),
  ),
  signals: Type.Array(
    Type.Object({
      type: named(
        'MakerSignal',
        oneOf(
          MAKER_SIGNALS,
          "signal that the service searched for; it recognises only its own maker's images",
        ),
      ),
      detected: Type.Boolean({
        description:
          'true if the signal was found; false proves nothing, because signals get lost and other generators have none',
      }),
      issuer: MakerText,
      model: MakerText,
      at: nullable(
        Type.String({
          maxLength: 64,
          description: 'time at which the image was made, according to the signal; null if unknown',
        }),
      ),
      validation: nullable(
        Type.String({
          maxLength: 64,
          description:
            "validation result of the Content Credentials, in the service's words; null if not given",
        }),
      ),
    }),
  ),
});

/** Result of a generator company's service, or the reason for a missing result. */
export type MakerAnswer = ReadonlyStatic<typeof MakerAnswerSchema>;
