// The shapes of queries of checks, and of checks of the past, as JSON Schema.
import { Type } from '@sinclair/typebox';
import { REF, REFS } from './ref-schemas.js';
import { nullable } from '../../../base/shape.js';
import { CheckResultSchema } from '../../../check/result-schema.js';
import { OPTIONS } from './schemas.js';

/** The query of POST /v1/check. */
export const CheckQuery = Type.Object({ ...OPTIONS, ref: REF }, { additionalProperties: false });
/** The query of POST /v1/check/batch. */
export const BatchQuery = Type.Object({ ...OPTIONS, ref: REFS }, { additionalProperties: false });

const KEPT = CheckResultSchema.properties;
const older = 'null for a check from before it was kept';

/** A check of the past: what was answered, but for `details`. */
export const PastCheck = Type.Object(
  {
    id: KEPT.id,
    is_ai: KEPT.is_ai,
    fired: KEPT.fired,
    reason: nullable(KEPT.reason),
    face_found: nullable(KEPT.face_found),
    content_credentials: nullable(KEPT.content_credentials),
    image: nullable(KEPT.image),
    model: KEPT.model,
    bands_version: KEPT.bands_version,
    latency_ms: KEPT.latency_ms,
    scores: KEPT.scores,
    face_box: KEPT.face_box,
    profile: KEPT.profile,
    image_stored: Type.Boolean({ description: 'whether the original is kept today' }),
    ref: KEPT.ref,
    created_at: Type.String({ format: 'date-time' }),
  },
  {
    $id: 'PastCheck',
    description: `a check of the past; reason, face_found, content_credentials and image are ${older}`,
  },
);

/** GET /v1/checks. */
export const CheckList = Type.Object(
  {
    checks: Type.Array(PastCheck, { description: 'newest first' }),
    next: nullable(Type.String({ description: 'the cursor of the next page; null on the last one' })),
  },
  { $id: 'CheckList' },
);

const bound = (description: string) =>
  Type.Optional(
    Type.String({ description: `${description}: YYYY-MM-DD (UTC) or a moment as RFC 3339 has it` }),
  );

/** Query of GET /v1/checks. */
export const CheckListQuery = Type.Object(
  {
    ref: Type.Optional(Type.String({ description: 'the reference that was sent with the check' })),
    is_ai: Type.Optional(
      Type.Union([Type.Literal('true'), Type.Literal('false')], { description: 'the verdict' }),
    ),
    from: bound('first day, or the earliest moment'),
    to: bound('last day, included, or the moment before which'),
    limit: Type.Optional(
      Type.String({
        pattern: '^([1-9][0-9]?|100)$',
        description: 'a whole number from 1 to 100: checks of a page; default: 50',
      }),
    ),
    cursor: Type.Optional(
      Type.String({ pattern: '^chk_[0-9A-Z]{26}$', description: 'next of the page before' }),
    ),
  },
  { additionalProperties: false },
);

/** POST /v1/checks/{id}/feedback. */
export const FeedbackJson = Type.Object(
  {
    is_ai: Type.Boolean({ description: 'true or false: the right verdict' }),
    note: Type.Optional(Type.String({ maxLength: 500, description: 'a text of at most 500 characters' })),
  },
  { additionalProperties: false },
);

/** What feedback was taken. */
export const Feedback = Type.Object(
  { id: KEPT.id, is_ai: Type.Boolean(), note: Type.String() },
  { $id: 'Feedback' },
);
