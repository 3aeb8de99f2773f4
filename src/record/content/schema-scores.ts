// Schema of the scores in a record: each detector's score, its thresholds, and its meaning as rates.
import { Type, type Static } from '@sinclair/typebox';
import { oneOf } from 'telltale-engine/internal/base/shape.js';
import { about, closed, count, list, orNull, share, text } from './schema-parts.js';

const Fired = Type.Object(
  {
    pictures: count('measured images of this class, level and kind', 40),
    fired: count('of these, those that scored as high or higher'),
    rate: share('share that scored as high or higher'),
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
      'degradation level of the measured images, by size and quality of this one: hard (heavy) where its longer side is at most ' +
        '512 px, web where it is at most 768 px or a JPEG of quality 60 or less, else clean (none)',
    ),
    kinds: list(
      Type.Object(
        {
          kind: text('kind of image, or all'),
          genuine: orNull(Fired, 'genuine images at this score or above; null: fewer than 40 are known'),
          ai: orNull(Fired, 'AI images at this score or above; null: fewer than 40 are known'),
        },
        closed,
      ),
      'all measured images together, and those of the kinds that it may be of',
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
      'of every profile, for this image; null in a record of the history, but for the face while its bands are active',
    ),
    rates: orNull(Rates, 'what such a score means; null without a score, or where nothing was measured'),
  },
  { ...closed, ...about('a score, and what it means') },
);

/** Scores of both detectors. */
export const Scores = Type.Object(
  {
    drawn: orNull(
      share(
        'probability, 4 digits, that the image is an illustration: it sets the threshold of the whole image between those of ' +
          'photographs and of illustrations; null where no detector was run, and in a record of the history',
      ),
    ),
    full_image_specialist: Detector,
    face_specialist: Detector,
  },
  closed,
);

/** Score of one detector, with thresholds and rates. */
export type RecordedDetector = Static<typeof Detector>;
/** Rates of a score. */
export type RecordedRates = Static<typeof Rates>;
/** Share of measured images that scored at least as high. */
export type FiredShare = Static<typeof Fired>;
