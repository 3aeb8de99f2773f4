// Schemas of a record's parts: its scores with their rates, and the versions of everything that made it.
import {
  Type,
  type Static,
  type TArray,
  type TBoolean,
  type TInteger,
  type TNull,
  type TNumber,
  type TSchema,
  type TString,
  type TUnion,
} from '@sinclair/typebox';
import { oneOf } from 'telltale-engine/internal/base/shape.js';
import { TRUST_TIERS } from 'telltale-engine/internal/check/types.js';

export const about = (description: string): { readonly description: string } => ({ description });
/** Schema of a text without control characters and unpaired surrogates, which JSON spells in several ways. */
export const text = (description: string): TString =>
  Type.String({ ...about(description), maxLength: 20_000 });
/** Schema of a text of `count` hex digits. */
export const digits = (count: number, description: string): TString =>
  Type.String({ ...about(description), pattern: `^[0-9a-f]{${count}}$` });
export const count = (description: string, minimum = 0): TInteger =>
  Type.Integer({ ...about(description), minimum });
/** Schema of a number from 0 to 1. */
export const share = (description: string): TNumber =>
  Type.Number({ ...about(description), minimum: 0, maximum: 1 });
export const flag = (description: string): TBoolean => Type.Boolean(about(description));
/** Schema of the date of a trust list. */
const day: TString = Type.String({
  ...about('date of the list, YYYY-MM-DD'),
  pattern: '^\\d{4}-\\d{2}-\\d{2}$',
});
/** Schema of a time in UTC. */
export const moment = (description: string): TString =>
  Type.String({
    ...about(`${description}, RFC 3339 in UTC`),
    pattern: '^\\d{4}-\\d{2}-\\d{2}T[\\d:.]+Z$',
  });
/** Option of an object's schema that forbids unknown fields. */
export const closed = { additionalProperties: false };
export const list = <T extends TSchema>(items: T, description: string, maxItems = 20_000): TArray<T> =>
  Type.Array(items, { ...about(description), maxItems });
/** Returns a schema that accepts null in addition. */
export const orNull = <T extends TSchema>(schema: T, description?: string): TUnion<[T, TNull]> =>
  Type.Union([schema, Type.Null()], about(description ?? schema.description ?? ''));
/** Schema of a rectangle in pixels. */
export const box = (description: string): TArray<TInteger> =>
  Type.Array(Type.Integer(), { ...about(`[x, y, width, height] ${description}`), minItems: 4, maxItems: 4 });

const Fired = Type.Object(
  {
    pictures: count('number of measured images of this class, level and kind', 40),
    fired: count('number of these images that scored as high or higher'),
    rate: share('share of these images that scored as high or higher'),
    low: share('lower end of the 95% interval of the rate (Wilson)'),
    high: share('upper end of the 95% interval of the rate (Wilson)'),
  },
  closed,
);
const Rates = Type.Object(
  {
    model: text('version of the networks with which the rates were measured'),
    tier: oneOf(
      ['clean', 'web', 'hard'],
      'degradation level of the measured images, chosen by this image: hard (heavy) if its longer side is at most ' +
        '512 px, web if it is at most 768 px or a JPEG of quality 60 or less, otherwise clean (none)',
    ),
    kinds: list(
      Type.Object(
        {
          kind: text('kind of image, or all for every kind'),
          genuine: orNull(
            Fired,
            'genuine images with this score or more; null if fewer than 40 were measured',
          ),
          ai: orNull(Fired, 'AI images with this score or more; null if fewer than 40 were measured'),
        },
        closed,
      ),
      'rates among all measured images, then among images of each kind that this image may be',
    ),
  },
  closed,
);
const Detector = Type.Object(
  {
    score: orNull(
      share('score, 0 to 1, 15 digits; null if the detector did not run or found nothing to score'),
    ),
    thresholds: orNull(
      Type.Object(
        {
          strict: share('threshold of the profile strict; the detector flags this score or more'),
          balanced: share('threshold of the profile balanced'),
          sensitive: share('threshold of the profile sensitive'),
        },
        closed,
      ),
      'thresholds of every profile for this image; null in a record made from the history, except those for faces while the same thresholds are active',
    ),
    rates: orNull(Rates, 'rates that show how common such a score is; null without a score or measurement'),
  },
  { ...closed, ...about('score of this detector, with thresholds and rates') },
);

/** Schema of the scores of both detectors. */
export const Scores = Type.Object(
  {
    drawn: orNull(
      share(
        'probability, 4 digits, that the image is an illustration, which sets the threshold between the ones for ' +
          'photographs and illustrations; null if no detector ran, and in a record made from the history',
      ),
    ),
    full_image_specialist: Detector,
    face_specialist: Detector,
  },
  closed,
);

/** Score of one detector, with its thresholds and rates. */
export type RecordedDetector = Static<typeof Detector>;
/** Rates that explain a score: shares of measured images that score at least as high. */
export type RecordedRates = Static<typeof Rates>;
/** Share of measured images that score at least as high, with its confidence interval. */
export type FiredShare = Static<typeof Fired>;

/** Schema of everything that determines a score, except the image. */
export const MadeWith = Type.Object(
  {
    telltale: text('version of Telltale'),
    model: text('version of the networks'),
    bands_version: text('version of the thresholds'),
    views: orNull(count('number of crops that the encoder scored', 1)),
    files: orNull(
      list(
        Type.Object(
          { name: text('path within the models folder'), sha256: digits(64, 'SHA-256 of the file') },
          closed,
        ),
        'files of the networks; null in a record made from the history if another model is installed',
      ),
    ),
    trust_lists: orNull(
      list(
        Type.Object(
          {
            name: text('file name of the list'),
            tier: oneOf(TRUST_TIERS, 'kind of list: official, of the operator, or interim'),
            purpose: oneOf(
              ['signing', 'time_stamp'],
              'signatures for which the list counts: signing or time stamps',
            ),
            anchors: count('number of certificates used from the list'),
            date: day,
          },
          closed,
        ),
        'trust lists (certificates of trusted signers) at the time of the check; null in a record made from the history',
      ),
    ),
    arithmetic: orNull(
      Type.Object(
        {
          device: text('device: cpu, cuda or tensorrt'),
          precision: oneOf(['int8', 'fp16'], 'number format in which the networks computed'),
          onnxruntime: text('version of ONNX Runtime'),
          processor: text('name of the processor, as it reports it'),
          architecture: text('processor architecture, such as x64'),
          features: list(
            text('flag'),
            'processor features by which ONNX Runtime chooses its code; scores are only equal if they are the same',
          ),
        },
        closed,
      ),
      'hardware and software that computed the scores; null in a record made from the history',
    ),
    score_tolerance: share(
      'maximum difference of a score on another kind of processor, as measured in docs/record.md',
    ),
  },
  { ...closed, ...about('program, networks and machine of the check') },
);
