// Schemas and routes of appeals (objections to a verdict) for /openapi.json.
import { Type } from '@sinclair/typebox';
import { DECISIONS } from '../../../accounts/appeals.js';
import { exactly, named, nullable, oneOf } from 'telltale-engine/internal/base/shape.js';
import { CheckResultSchema } from 'telltale-engine/internal/check/result-schema.js';
import { APPEAL, operation, type Document } from './operation.js';

const KEPT = CheckResultSchema.properties;
const Moment = Type.String({ format: 'date-time' });

/** Form fields of POST /v1/checks/{id}/appeals, in addition to the file. */
export const AppealForm = exactly({
  remark: Type.Optional(Type.String({ maxLength: 1000, description: 'a text of at most 1000 characters' })),
});

/** Form of POST /v1/checks/{id}/appeals with the file, as /openapi.json shows it. */
export const AppealUpload = named(
  'AppealForm',
  exactly({
    file: Type.String({ format: 'binary', description: 'the original: as POST /v1/check takes it' }),
    ...AppealForm.properties,
  }),
);

/** Body of POST /v1/checks/{id}/appeal-links, which creates a link. */
export const AppealLinkJson = named(
  'AppealLinkJson',
  exactly({
    days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 90,
        description: 'a whole number from 1 to 90; how long it is valid',
      }),
    ),
  }),
);

/** A link by which a person appeals without an API key. */
export const AppealLink = Type.Object(
  {
    url: Type.String({ description: 'the page for the person who appeals; hand it out' }),
    token: Type.String({ description: 'the same by API: Authorization: Bearer apt_...' }),
    expires_at: Moment,
  },
  { $id: 'AppealLink' },
);

/** An appeal against a verdict. */
export const AppealSchema = Type.Object(
  {
    id: Type.String({ pattern: '^apl_[0-9A-HJKMNP-TV-Z]{26}$' }),
    check_id: KEPT.id,
    created_at: Moment,
    by: named('AppealOrigin', oneOf(['account', 'link'], 'whether it came by an API key or by a link')),
    remark: Type.String(),
    comparison: Type.Object({
      with: named('ComparedWith', oneOf(['image', 'hash'], 'what was kept of the checked image')),
      same_scene: Type.Boolean({
        description: 'whether the checked image shows the original, or a part of it',
      }),
      difference: Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'share of bits of the hashes that differ',
      }),
      crop: nullable(
        Type.Array(Type.Number({ minimum: 0, maximum: 1 }), {
          minItems: 4,
          maxItems: 4,
          description: '[x, y, width, height]: the part of the original that the checked image shows',
        }),
      ),
    }),
    original: Type.Object(
      {
        format: Type.String(),
        width: Type.Integer({ minimum: 1 }),
        height: Type.Integer({ minimum: 1 }),
        enlarged: nullable(
          Type.Number({ minimum: 0, description: 'its pixels by one pixel of the checked image' }),
        ),
        is_ai: KEPT.is_ai,
        fired: KEPT.fired,
        reason: KEPT.reason,
        scores: KEPT.scores,
        camera: nullable(Type.String({ description: 'that its metadata names; unsigned' })),
        content_credentials: KEPT.content_credentials,
      },
      { description: 'what was found on it' },
    ),
    decision: nullable(
      Type.Object({
        outcome: named('AppealOutcome', oneOf(DECISIONS, 'of the verdict')),
        remark: Type.String(),
        at: Moment,
      }),
    ),
    record: Type.Unsafe<object>({ description: 'signed, names the first check: /schemas/record.json' }),
  },
  { $id: 'Appeal' },
);

/** Response of GET /v1/checks/{id}/appeals, which lists the appeals of a check. */
export const AppealList = Type.Object(
  {
    check: Type.Object({
      id: KEPT.id,
      created_at: Moment,
      is_ai: KEPT.is_ai,
      reason: nullable(KEPT.reason),
      model: KEPT.model,
      bands_version: KEPT.bands_version,
    }),
    appeals: Type.Array(AppealSchema, { description: 'oldest first' }),
  },
  { $id: 'AppealList' },
);

/** Returns the OpenAPI paths of appeals. `idempotency` is the header that makes retries safe. */
export function appealPaths(parameters: readonly Document[], idempotency: Document): Document {
  return {
    '/v1/checks/{id}/appeals': {
      post: operation(
        ['checks', 'appeal'],
        'Appeal against a verdict with an original',
        AppealSchema,
        APPEAL,
        {
          status: 201,
          description:
            'The original is compared with the checked image, which needs the stored image or its hash, and checked itself; ' +
            'the signed record names the first check. By an API key, or by the token of a link for this check. Three for a ' +
            'check; an account five at once, then one every ten seconds. Not charged.',
          headers: ['Idempotent-Replayed'],
          parameters: [...parameters, idempotency],
          requestBody: { required: true, content: { 'multipart/form-data': { schema: AppealUpload } } },
        },
      ),
      get: operation(
        ['checks', 'listAppeals'],
        'The verdict, and the appeals against it with what was decided',
        AppealList,
        ['not_found'],
        { parameters },
      ),
    },
    '/v1/checks/{id}/appeal-links': {
      post: operation(
        ['checks', 'createAppealLink'],
        'A link for a person who appeals without an API key',
        AppealLink,
        ['invalid_request', 'not_found', 'unsupported_media_type', 'too_many_appeals'],
        {
          status: 201,
          description: 'Hand it out: it shows this verdict, takes originals, and tells what was decided.',
          parameters,
          requestBody: { required: true, content: { 'application/json': { schema: AppealLinkJson } } },
        },
      ),
    },
  };
}
