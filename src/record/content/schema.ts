// JSON Schema of a signed record, to make and read records, published as /schemas/record.json.
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
import {
  MadeWith,
  Scores,
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
} from './schema-sections.js';

const Image = Type.Object(
  {
    sha256: orNull(
      digits(64, 'SHA-256 of the original file; null in a record made from the history without the image'),
    ),
    size_bytes: orNull(count('size of the original file in bytes')),
    format: orNull(text('image format, detected from the content; null if unknown')),
    width: orNull(count('width in pixels, as a viewer shows the image')),
    height: orNull(count('height in pixels, as a viewer shows the image')),
    orientation: orNull(count('EXIF orientation, 1 to 8', 1)),
    frames: orNull(count('number of frames or pages; only the first was checked', 1)),
    jpeg_quality: orNull(
      count('JPEG quality, estimated from the quantisation tables; null if the image is not a JPEG'),
    ),
    perceptual_hash: orNull(
      digits(
        16,
        "perceptual hash (OpenCV's img_hash::PHash) of the image, shrunk as in `preview`; copies of an image differ in few bits",
      ),
    ),
    preview: orNull(
      Type.Object(
        {
          width: count('width in pixels', 1),
          height: count('height in pixels', 1),
          jpeg: Type.String({ ...about('the JPEG file in base64'), pattern: '^[A-Za-z0-9+/]+={0,2}$' }),
        },
        closed,
      ),
      'small copy of the image; null if the image could not be decoded',
    ),
  },
  { ...closed, ...about('the original file') },
);

const Credentials = Type.Object(
  {
    state: oneOf(
      CREDENTIAL_STATES,
      'verified means that the signer is trusted and the image is unchanged since signing; only verified credentials can decide a verdict',
    ),
    signer: orNull(text('organisation in the signing certificate, otherwise its common name')),
    trust_tier: orNull(oneOf(TRUST_TIERS, 'kind of trust list by which the signer is trusted')),
    signed_at: orNull(text('time of signing according to a trusted time stamp, RFC 3339')),
    ai: flag('true if the credentials record that AI made or edited the image'),
    ai_claim: orNull(oneOf(AI_CLAIMS, 'strongest statement about AI in the credentials')),
    tool: orNull(text('software that made or edited the image, as named by the credentials')),
    claim_generator: orNull(text('software that wrote the credentials')),
    manifests: list(
      text('label'),
      'labels of the manifests: that of the image, then those of the images from which it was made',
    ),
    validation_status: list(text('code'), 'C2PA validation codes, failures first'),
    digital_source_types: list(
      text('type'),
      'digital source types (how an image was made), as written in the credentials',
    ),
  },
  closed,
);

/** Schema of a record's content, the signed part. */
export const RecordContent = Type.Object(
  {
    type: Type.Literal('telltale-record', about('marks this JSON as a record')),
    version: Type.Literal(1, about('version of the record format')),
    source: oneOf(
      ['check', 'history'],
      'check: made together with the check; history: made later from the check history, with null for everything that the history does not store',
    ),
    id: orNull(text('identifier of the check; null for a refusal')),
    time: moment('time of the check or refusal'),
    request_id: orNull(text('identifier of the HTTP request; null for a check on the command line')),
    refusal: orNull(
      Type.Object({ code: text('error code'), message: text('explanation of the error') }, closed),
      'reason for which the image was refused; null if it was checked',
    ),
    verdict: orNull(
      Type.Object(
        {
          is_ai: flag("true if the image was judged as AI; false only means 'No AI detected'"),
          fired: list(oneOf(SIGNALS, 'signal'), 'detectors or credentials that flag the image'),
          reason: text('explanation of the verdict in one line'),
          profile: oneOf(PROFILE_NAMES, 'profile (set of thresholds) that was used'),
        },
        closed,
      ),
      'the verdict; null if the image was refused',
    ),
    picture: Image,
    scores: orNull(Scores, 'scores of the detectors; null if the image was refused'),
    faces: orNull(
      list(
        Type.Object(
          {
            box: box('in original pixels'),
            score: share('score of the face, 0 to 1, 15 digits'),
            manipulated: share('probability that the face was swapped or edited'),
            generated: share('probability that the face was generated'),
            confidence: share('confidence of the face detector'),
          },
          closed,
        ),
        'scored faces, largest first; null if the face detector did not run or faces were not stored',
      ),
    ),
    heat_map: orNull(
      list(
        Type.Object(
          { box: box('in original pixels'), score: share('score of the square, 0 to 1, 4 digits') },
          closed,
        ),
        'squares of the image, each with a score for being generated; they do not affect the verdict',
      ),
    ),
    content_credentials: orNull(
      Type.Object(
        {
          found: flag('true if Content Credentials are embedded in the file'),
          manifest: orNull(Credentials, 'contents of the credentials'),
        },
        closed,
      ),
      'Content Credentials of the image; null if they were not read or not stored',
    ),
    marks: orNull(
      Type.Object(
        {
          pixels_searched: flag('true if the pixels were searched for marks, too'),
          found: list(
            Type.Object(
              {
                kind: oneOf(FILE_MARK_KINDS, 'kind of mark'),
                generator: orNull(text('program or service that the mark names')),
                says: oneOf(
                  MARK_STATEMENTS,
                  "what the mark declares; edited means edited by AI, except for the kind 'editor'",
                ),
                where: text('place of the mark: block and field of the file, or pixels'),
                value: text('text of the mark, as written'),
              },
              closed,
            ),
            'marks, strongest first; anybody can write a mark, so marks never decide a verdict',
          ),
        },
        closed,
      ),
      'marks: what the file itself declares about how it was made; null if it was not read or not stored',
    ),
    warnings: orNull(
      list(
        Type.Object(
          {
            code: text('code of the warning, which never changes'),
            message: text('explanation in one line'),
          },
          closed,
        ),
        'warnings about circumstances that make the verdict less certain; null if they were not stored',
      ),
    ),
    made_with: MadeWith,
    appeal: Type.Optional(
      Type.Object(
        {
          id: text('identifier of the appeal'),
          against: Type.Object(
            {
              id: text('identifier of the first check'),
              time: moment('time of the first check'),
              is_ai: flag('verdict of the first check: true if AI'),
              model: text('version of the networks at the first check'),
              bands_version: text('version of the thresholds at the first check'),
            },
            { ...closed, ...about('the first check, against whose verdict the appeal was made') },
          ),
          compared_with: oneOf(
            ['image', 'hash'],
            'data of the checked image with which the original was compared',
          ),
          same_scene: flag('true if the checked image shows the original or a part of it'),
          difference: share('share of the bits in which both hashes differ'),
          crop: orNull(
            list(
              share('0 to 1'),
              'part of the original that the checked image shows, as shares of its sides: [x, y, width, height]',
              4,
            ),
          ),
          decision: orNull(
            Type.Object(
              {
                outcome: oneOf(['verdict_confirmed', 'verdict_overturned'], 'outcome for the first verdict'),
                remark: text('remark of the operator'),
                time: moment('time of the decision'),
              },
              closed,
            ),
            'decision of the operator; null before the decision',
          ),
        },
        {
          ...closed,
          ...about(
            'the appeal, if the image is the original sent with an appeal; `record.time` is then the time of the last signature',
          ),
        },
      ),
    ),
  },
  { ...closed, ...about('content of the record, which is signed') },
);

/** Schema of a record: its content and signature. */
export const SignedRecord = Type.Object(
  {
    record: RecordContent,
    signature: Type.Object(
      {
        algorithm: Type.Literal(
          'Ed25519',
          about('signature algorithm; the canonical JSON (RFC 8785) of `record` is signed'),
        ),
        key: Type.String({
          ...about(
            'thumbprint (RFC 7638) of the signing key, which /.well-known/telltale-keys.json publishes',
          ),
          pattern: '^[A-Za-z0-9_-]{43}$',
        }),
        value: digits(128, 'signature: 64 bytes as hexadecimal digits'),
      },
      { ...closed, description: 'signature of the installation that checked the image' },
    ),
  },
  { $id: 'telltale-record', title: 'A signed record of a check by Telltale', ...closed },
);

/** Appeal (an objection to a verdict), in the record of the check that it is about. */
export type AppealInRecord = NonNullable<RecordContent['appeal']>;
/** Content of a record, the signed part. */
export type RecordContent = Static<typeof RecordContent>;
/** A record: its content and signature. */
export type SignedRecord = Static<typeof SignedRecord>;
/** The schema as the service publishes it at /schemas/record.json. */
export const PUBLISHED_SCHEMA: object = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  ...SignedRecord,
};
