// JSON Schema of a record. Used to make and read records, and published as /schemas/record.json.
import { Type, type Static } from '@sinclair/typebox';
import { oneOf } from 'telltale-engine/internal/base/shape.js';
import {
  AI_CLAIMS,
  CREDENTIAL_STATES,
  MARK_STATEMENTS,
  PROFILE_NAMES,
  SIGNALS,
  TRUST_TIERS,
} from 'telltale-engine/internal/check/types.js';
import { FILE_MARK_KINDS } from 'telltale-engine/internal/check/marks/kinds.js';
import { MadeWith } from './schema-made-with.js';
import {
  about,
  box,
  closed,
  count,
  digits,
  flag,
  list,
  moment,
  orNull,
  share,
  text,
} from './schema-parts.js';
import { Scores } from './schema-scores.js';

const Image = Type.Object(
  {
    sha256: orNull(digits(64, 'of the original file; null in a record of the history without its image')),
    size_bytes: orNull(count('of the original file')),
    format: orNull(text('recognised by content; null where it could not be')),
    width: orNull(count('pixels, as a viewer shows it')),
    height: orNull(count('pixels, as a viewer shows it')),
    orientation: orNull(count('EXIF orientation, 1 to 8', 1)),
    frames: orNull(count('frames or pages, of which the first was checked', 1)),
    jpeg_quality: orNull(count('estimated from the quantisation tables; null: no JPEG')),
    perceptual_hash: orNull(
      digits(16, "OpenCV's img_hash::PHash of the image shrunk as in `preview`; copies differ in few bits"),
    ),
    preview: orNull(
      Type.Object(
        {
          width: count('pixels', 1),
          height: count('pixels', 1),
          jpeg: Type.String({ ...about('the file in base64'), pattern: '^[A-Za-z0-9+/]+={0,2}$' }),
        },
        closed,
      ),
      'the image, small; null where it could not be shown',
    ),
  },
  { ...closed, ...about('the original file') },
);

const Credentials = Type.Object(
  {
    state: oneOf(
      CREDENTIAL_STATES,
      'verified: the signer is trusted and the image unchanged since; only these count',
    ),
    signer: orNull(text('organisation, else common name, of the signing certificate')),
    trust_tier: orNull(oneOf(TRUST_TIERS, 'list that vouches for the signer')),
    signed_at: orNull(text('time of signing by a trusted time stamp, RFC 3339')),
    ai: flag('whether they record that AI made or edited the image'),
    ai_claim: orNull(oneOf(AI_CLAIMS, 'the strongest claim behind `ai`')),
    tool: orNull(text('software that the AI action or the claim names')),
    claim_generator: orNull(text('software that wrote the claim')),
    manifests: list(text('label'), 'the chain: from the active manifest down through its ingredients'),
    validation_status: list(text('code'), 'C2PA validation codes, failures first'),
    digital_source_types: list(text('type'), 'as written'),
  },
  closed,
);

/** Signed content of a record. */
export const RecordContent = Type.Object(
  {
    type: Type.Literal('telltale-record', about('distinguishes a record from other JSON')),
    version: Type.Literal(1, about('of this shape')),
    source: oneOf(
      ['check', 'history'],
      'history: made later, of what the history keeps; what it does not keep is null',
    ),
    id: orNull(text('identifier of the check; null for a refusal')),
    time: moment('when it was checked or refused'),
    request_id: orNull(
      text('identifier of the request; null on the command line and for a refusal in a folder'),
    ),
    refusal: orNull(
      Type.Object({ code: text('error code'), message: text('what was wrong') }, closed),
      'why the image was not checked; then there is no verdict',
    ),
    verdict: orNull(
      Type.Object(
        {
          is_ai: flag("false means only 'No AI detected'"),
          fired: list(oneOf(SIGNALS, 'signal'), 'what decided'),
          reason: text('one line for people'),
          profile: oneOf(PROFILE_NAMES, 'operating point behind the verdict'),
        },
        closed,
      ),
      'null for a refusal',
    ),
    picture: Image,
    scores: orNull(Scores, 'null for a refusal'),
    faces: orNull(
      list(
        Type.Object(
          {
            box: box('in original pixels'),
            score: share('0 to 1, 15 digits'),
            manipulated: share('probability that it was swapped or edited'),
            generated: share('probability that it was generated'),
            confidence: share('of the face detector'),
          },
          closed,
        ),
        'largest first; null where none were kept or looked for',
      ),
    ),
    heat_map: orNull(
      list(
        Type.Object({ box: box('in original pixels'), score: share('0 to 1, 4 digits') }, closed),
        'squares of the image, each with the score that it was generated; the verdict does not follow it',
      ),
    ),
    content_credentials: orNull(
      Type.Object(
        { found: flag('whether any are embedded'), manifest: orNull(Credentials, 'what they say') },
        closed,
      ),
      'null where they were not kept or not read',
    ),
    marks: orNull(
      Type.Object(
        {
          pixels_searched: flag('whether they were looked for in the pixels, too'),
          found: list(
            Type.Object(
              {
                kind: oneOf(FILE_MARK_KINDS, 'by what it is recognised'),
                generator: orNull(text('program or service that it names')),
                says: oneOf(MARK_STATEMENTS, "edited means by AI, but for kind 'editor'"),
                where: text('block and field of the file, or pixels'),
                value: text('as written'),
              },
              closed,
            ),
            'strongest first; anybody can write one, so none decides',
          ),
        },
        closed,
      ),
      'what the file itself declares; null where it was not kept or not read',
    ),
    warnings: orNull(
      list(
        Type.Object({ code: text('stable'), message: text('one line') }, closed),
        'circumstances that weaken the verdict; null where they were not kept',
      ),
    ),
    made_with: MadeWith,
    appeal: Type.Optional(
      Type.Object(
        {
          id: text('identifier of the appeal'),
          against: Type.Object(
            {
              id: text('identifier of the check'),
              time: moment('when it was checked'),
              is_ai: flag('the verdict that the appeal is against'),
              model: text('detector model of back then'),
              bands_version: text('thresholds of back then'),
            },
            { ...closed, ...about('the first check, whose record this one follows') },
          ),
          compared_with: oneOf(['image', 'hash'], 'what was kept of the checked image'),
          same_scene: flag('whether the checked image shows the image of this record, or a part of it'),
          difference: share('share of bits of the hashes that differ'),
          crop: orNull(
            list(share('0 to 1'), '[x, y, width, height]: the part that the checked image shows', 4),
          ),
          decision: orNull(
            Type.Object(
              {
                outcome: oneOf(
                  ['verdict_confirmed', 'verdict_overturned'],
                  'whether the first verdict was confirmed or overturned',
                ),
                remark: text('of the operator'),
                time: moment('when it was decided'),
              },
              closed,
            ),
            'of the operator; null while there is none',
          ),
        },
        {
          ...closed,
          ...about('there if this image is the original of an appeal; `time` is that of the last signature'),
        },
      ),
    ),
  },
  { ...closed, ...about('what was found: this is what is signed') },
);

/** Record with its signature. */
export const SignedRecord = Type.Object(
  {
    record: RecordContent,
    signature: Type.Object(
      {
        algorithm: Type.Literal('Ed25519', about('over the canonical JSON (RFC 8785) of `record`')),
        key: Type.String({
          ...about('thumbprint (RFC 7638) of the key, one of /.well-known/telltale-keys.json'),
          pattern: '^[A-Za-z0-9_-]{43}$',
        }),
        value: digits(128, '64 bytes in hexadecimal digits'),
      },
      { ...closed, description: 'of the installation that checked the image' },
    ),
  },
  { $id: 'telltale-record', title: 'A signed record of a check by Telltale', ...closed },
);

/** Appeal, as stored in the record of its original. */
export type AppealInRecord = NonNullable<RecordContent['appeal']>;
/** Content of a record. */
export type RecordContent = Static<typeof RecordContent>;
/** Record with its signature. */
export type SignedRecord = Static<typeof SignedRecord>;
/** Schema as published at /schemas/record.json. */
export const PUBLISHED_SCHEMA: object = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  ...SignedRecord,
};
