// Schemas of appeals (objections to a verdict), which validate requests and are published in /openapi.json.
import { Type } from '@sinclair/typebox';
import { DECISIONS, MAX_REMARK } from '../../../accounts/appeals/appeals.js';
import { LINK_STATES, MAX_LINK_DAYS } from '../../../accounts/appeals/links.js';
import { exactly, named, nullable, oneOf } from 'telltale-engine/internal/base/shape.js';
import { AssessmentSchema } from 'telltale-engine/internal/check/details-schema.js';
import { CheckResultSchema } from 'telltale-engine/internal/check/result-schema.js';
import { AppealStateSchema } from './schemas.js';

const CHECK_FIELDS = CheckResultSchema.properties;
const Moment = Type.String({ format: 'date-time' });

/** Form fields of POST /v1/checks/{id}/appeals, in addition to the file. */
export const AppealForm = exactly({
  remark: Type.Optional(
    Type.String({
      maxLength: MAX_REMARK,
      description: `remark of the person who appeals, at most ${MAX_REMARK} characters`,
    }),
  ),
});

/** Form of POST /v1/checks/{id}/appeals with the file, as /openapi.json shows it. */
export const AppealUpload = named(
  'AppealForm',
  exactly({
    file: Type.String({
      format: 'binary',
      description: 'original image file, with the formats and limits of POST /v1/check',
    }),
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
        maximum: MAX_LINK_DAYS,
        description: 'number of days for which the link is valid, 1 to 90; default: 14',
      }),
    ),
  }),
);

const LinkStateSchema = named(
  'AppealLinkState',
  oneOf(
    LINK_STATES,
    'whether the link accepts an original: open, or the reason why not (used_up: all its attempts are used)',
  ),
);
const LinkId = Type.String({ pattern: '^apk_[0-9A-HJKMNP-TV-Z]{26}$' });
const LINK_FIELDS = {
  id: LinkId,
  check_id: CHECK_FIELDS.id,
  created_at: Moment,
  expires_at: Moment,
  revoked_at: nullable(Moment),
  state: LinkStateSchema,
  attempts_left: Type.Integer({ minimum: 0, description: 'number of originals that the link still accepts' }),
};

/** A link by which a person appeals without an API key, without its token, which is not stored. */
export const ListedAppealLink = Type.Object(LINK_FIELDS, { $id: 'ListedAppealLink' });

/** Response of GET /v1/checks/{id}/appeal-links, which lists the links of a check. */
export const AppealLinkList = Type.Object(
  { links: Type.Array(ListedAppealLink, { description: 'links of the check, oldest first' }) },
  { $id: 'AppealLinkList' },
);

/** A new link, with the address and the token, which are shown only once. */
export const AppealLink = Type.Object(
  {
    ...LINK_FIELDS,
    url: Type.String({
      description: 'address of the page for the person who appeals; send it to this person',
    }),
    token: Type.String({
      description: 'token for appeals through the API, sent as Authorization: Bearer apt_...',
    }),
  },
  { $id: 'AppealLink' },
);

/** Outcomes of a decision. */
export const AppealOutcome = named(
  'AppealOutcome',
  oneOf(DECISIONS, 'decision of the operator on the verdict of the check'),
);

/** An appeal against a verdict. */
export const AppealSchema = Type.Object(
  {
    id: Type.String({ pattern: '^apl_[0-9A-HJKMNP-TV-Z]{26}$' }),
    check_id: CHECK_FIELDS.id,
    created_at: Moment,
    by: named(
      'AppealOrigin',
      oneOf(['account', 'link'], 'whether the appeal was made with an API key (account) or through a link'),
    ),
    link_id: nullable(
      Type.String({ description: 'link through which the appeal was made; null for an API key' }),
    ),
    remark: Type.String(),
    comparison: Type.Object({
      with: named(
        'ComparedWith',
        oneOf(['image', 'hash'], 'stored data of the checked image with which the original was compared'),
      ),
      same_scene: Type.Boolean({
        description: 'true if the checked image shows the original or a part of it',
      }),
      difference: Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'share of the bits in which both hashes differ',
      }),
      crop: nullable(
        Type.Array(Type.Number({ minimum: 0, maximum: 1 }), {
          minItems: 4,
          maxItems: 4,
          description:
            'part of the original that the checked image shows, as shares of its sides: [x, y, width, height]',
        }),
      ),
    }),
    original: Type.Object(
      {
        format: Type.String(),
        width: Type.Integer({ minimum: 1 }),
        height: Type.Integer({ minimum: 1 }),
        enlarged: nullable(
          Type.Number({
            minimum: 0,
            description:
              'number of pixels of the original divided by that of the checked image; null if that is unknown',
          }),
        ),
        is_ai: CHECK_FIELDS.is_ai,
        fired: CHECK_FIELDS.fired,
        reason: CHECK_FIELDS.reason,
        scores: CHECK_FIELDS.scores,
        camera: nullable(
          Type.String({ description: 'camera that the metadata names (unsigned); null if they name none' }),
        ),
        content_credentials: CHECK_FIELDS.content_credentials,
      },
      { description: 'result of checking the original' },
    ),
    decision: nullable(
      Type.Object({
        outcome: AppealOutcome,
        remark: Type.String(),
        at: Moment,
      }),
    ),
    withdrawn_at: nullable(
      Type.String({
        format: 'date-time',
        description:
          'time at which the sender withdrew the appeal, which is then not decided; null otherwise',
      }),
    ),
    record: Type.Unsafe<object>({
      description:
        'signed record of the appeal, which names the first check, by the schema /schemas/record.json',
    }),
  },
  { $id: 'Appeal' },
);

/** Response of GET /v1/checks/{id}/appeals, which lists the appeals of a check. */
export const AppealList = Type.Object(
  {
    check: Type.Object({
      id: CHECK_FIELDS.id,
      created_at: Moment,
      is_ai: CHECK_FIELDS.is_ai,
      assessment: AssessmentSchema,
      reason: nullable(CHECK_FIELDS.reason),
      model: CHECK_FIELDS.model,
      bands_version: CHECK_FIELDS.bands_version,
      image_stored: CHECK_FIELDS.image_stored,
      appeal: nullable(AppealStateSchema),
    }),
    link: nullable(
      Type.Object(
        {
          id: LinkId,
          account: Type.String({ description: 'name of the account that checked the image' }),
          expires_at: Moment,
          state: LinkStateSchema,
        },
        { description: 'link with which the request was made; null for an API key' },
      ),
    ),
    attempts_left: Type.Integer({
      minimum: 0,
      description:
        'number of originals that the caller may still send: three through each link, three with API keys',
    }),
    appeals: Type.Array(AppealSchema, {
      description: 'appeals against the check, oldest first; for a link only its own',
    }),
  },
  { $id: 'AppealList' },
);
