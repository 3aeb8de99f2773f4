// The shape of a record, as JSON Schema: records are made by it, read by it, and /schemas/record.json publishes it.
import { Type, type Static, type TNull, type TSchema, type TUnion } from '@sinclair/typebox';
import { MARK_KINDS, MARK_STATEMENTS, PROFILE_NAMES } from '../check/types.js';
import { about, count, day, digits, flag, moment, share, text } from './schema-parts.js';

const closed = { additionalProperties: false };
const list = <T extends TSchema>(items: T, description: string, maxItems = 20_000) =>
  Type.Array(items, { ...about(description), maxItems });
const orNull = <T extends TSchema>(schema: T, description?: string): TUnion<[T, TNull]> =>
  Type.Union([schema, Type.Null()], about(description ?? schema.description ?? ''));
const oneOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Union(
    values.map((value) => Type.Literal(value)),
    about(description),
  );
const box = (description: string) =>
  Type.Array(Type.Integer(), { ...about(`[x, y, width, height] ${description}`), minItems: 4, maxItems: 4 });
const Fired = Type.Object(
  {
    pictures: count('measured pictures of this class, tier and kind', 40),
    fired: count('of these, those that scored as high or higher'),
    rate: share('`fired` of `pictures`'),
    low: share('lower end of the 95% interval of the rate (Wilson)'),
    high: share('upper end of that interval'),
  },
  closed,
);
const Rates = Type.Object(
  {
    model: text('version of the networks that they were measured with'),
    tier: oneOf(
      ['clean', 'web', 'hard'],
      'how the measured pictures were delivered, by size and quality of this one: hard where its longer side is at most ' +
        '512 px, web where it is at most 768 px or a JPEG of quality 60 or less, else clean',
    ),
    kinds: list(
      Type.Object(
        {
          kind: text('kind of picture, or all'),
          genuine: orNull(Fired, 'genuine pictures at this score or above; null: fewer than 40 are known'),
          ai: orNull(Fired, 'AI pictures at this score or above; null: fewer than 40 are known'),
        },
        closed,
      ),
      'all measured pictures together, and those of the kinds that it may be of',
    ),
  },
  closed,
);
const Detector = Type.Object(
  {
    score: orNull(share('0 to 1, 15 digits; null where the detector had nothing to score or was not run')),
    thresholds: orNull(
      Type.Object(
        {
          strict: share('a score at or above it fires'),
          balanced: share('the same'),
          sensitive: share('the same'),
        },
        closed,
      ),
      'of every profile, for this picture; null in a record of the history whose bands are gone',
    ),
    rates: orNull(Rates, 'what such a score means; null without a score, or where nothing was measured'),
  },
  { ...closed, ...about('a score, and what it means') },
);

const Picture = Type.Object(
  {
    sha256: orNull(digits(64, 'of the original file; null in a record of the history without its picture')),
    size_bytes: orNull(count('of the original file')),
    format: orNull(text('told by content; null where it could not be')),
    width: orNull(count('pixels, as a viewer shows it')),
    height: orNull(count('pixels, as a viewer shows it')),
    orientation: orNull(count('EXIF orientation, 1 to 8', 1)),
    frames: orNull(count('frames or pages, of which the first was checked', 1)),
    jpeg_quality: orNull(count('estimated from the quantisation tables; null: no JPEG')),
    perceptual_hash: orNull(
      digits(16, "OpenCV's img_hash::PHash of the picture shrunk as in `preview`; copies differ in few bits"),
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
      'the picture, small; null where it could not be shown',
    ),
  },
  { ...closed, ...about('the original file') },
);

const Credentials = Type.Object(
  {
    state: oneOf(
      ['verified', 'untrusted', 'tampered', 'unreadable'],
      'verified: the signer is trusted and the picture unchanged since; only these count',
    ),
    signer: orNull(text('organisation, else common name, of the signing certificate')),
    trust_tier: orNull(oneOf(['official', 'operator', 'interim'], 'list that vouches for the signer')),
    signed_at: orNull(text('time of signing by a trusted time stamp, RFC 3339')),
    ai: flag('whether they record that AI made or edited the picture'),
    ai_claim: orNull(oneOf(['generated', 'edited', 'contains'], 'the strongest claim behind `ai`')),
    tool: orNull(text('software that the AI action or the claim names')),
    claim_generator: orNull(text('software that wrote the claim')),
    manifests: list(text('label'), 'the chain: from the active manifest down through its ingredients'),
    validation_status: list(text('code'), 'C2PA validation codes, failures first'),
    digital_source_types: list(text('type'), 'as written'),
  },
  closed,
);

const MadeWith = Type.Object(
  {
    telltale: text('version of the program'),
    model: text('version of the networks'),
    bands_version: text('version of the thresholds'),
    views: orNull(count('views of the picture that the encoder saw', 1)),
    files: orNull(
      list(
        Type.Object({ name: text('within the models folder'), sha256: digits(64, 'of the file') }, closed),
        'networks, graphs, weights and manifests; null in a record of the history with another model',
      ),
    ),
    trust_lists: orNull(
      list(
        Type.Object(
          {
            name: text('file'),
            tier: oneOf(['official', 'operator', 'interim'], 'whose list it is'),
            purpose: oneOf(['signing', 'time_stamp'], 'for what its anchors vouch'),
            anchors: count('certificates in use'),
            date: day,
          },
          closed,
        ),
        'in force when the picture was checked; null in a record of the history',
      ),
    ),
    arithmetic: orNull(
      Type.Object(
        {
          device: text('cpu, cuda or tensorrt'),
          precision: oneOf(['int8', 'fp16'], 'of the graph that was run'),
          onnxruntime: text('version'),
          processor: text('its name as it gives it'),
          architecture: text('such as x64'),
          features: list(
            text('flag'),
            'instructions that arithmetic kernels are chosen by: processors of one kind have the same',
          ),
        },
        closed,
      ),
      'what computed; null in a record of the history',
    ),
    score_tolerance: share(
      'how far a score was measured to move on another kind of processor: docs/record.md has the source',
    ),
  },
  { ...closed, ...about('what the check was made with') },
);

/** What is recorded and signed. */
export const RecordContent = Type.Object(
  {
    type: Type.Literal('telltale-record', about('tells a record from other JSON')),
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
      'why the picture was not checked; then there is no verdict',
    ),
    verdict: orNull(
      Type.Object(
        {
          is_ai: flag("false means only 'No AI detected'"),
          fired: list(
            oneOf(['full_image_specialist', 'face_specialist', 'content_credentials'], 'signal'),
            'what decided',
          ),
          reason: text('one line for people'),
          profile: oneOf(PROFILE_NAMES, 'operating point behind the verdict'),
        },
        closed,
      ),
      'null for a refusal',
    ),
    picture: Picture,
    scores: orNull(
      Type.Object({ full_image_specialist: Detector, face_specialist: Detector }, closed),
      'null for a refusal',
    ),
    faces: orNull(
      list(
        Type.Object(
          {
            box: box('in original pixels'),
            score: share('0 to 1, 15 digits'),
            manipulated: share('probability that it was swapped or edited'),
            generated: share('probability that it was generated'),
            confidence: share('of the face finder'),
          },
          closed,
        ),
        'largest first; null where none were kept or looked for',
      ),
    ),
    heat_map: orNull(
      list(
        Type.Object({ box: box('in original pixels'), score: share('0 to 1, 4 digits') }, closed),
        'parts of the picture, each with the score that it was generated; the verdict does not follow it',
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
                kind: oneOf(MARK_KINDS, 'by what it is recognised'),
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
  },
  { ...closed, ...about('what was found: this is what is signed') },
);

/** A record and its signature. */
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
      { ...closed, description: 'of the installation that checked the picture' },
    ),
  },
  { $id: 'telltale-record', title: 'A signed record of a check by Telltale', ...closed },
);

/** What is recorded. */
export type RecordContent = Static<typeof RecordContent>;
/** A record and its signature. */
export type SignedRecord = Static<typeof SignedRecord>;
/** A detector's score, and what it means. */
export type RecordedDetector = Static<typeof Detector>;
/** What such a score means. */
export type RecordedRates = Static<typeof Rates>;
/** How many measured pictures scored as high. */
export type FiredShare = Static<typeof Fired>;
/** The schema as /schemas/record.json answers it. */
export const PUBLISHED_SCHEMA: object = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  ...SignedRecord,
};
