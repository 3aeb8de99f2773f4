// Schema of the scores in a record, with their thresholds, and with rates that explain them.
import { Type, type Static } from '@sinclair/typebox';
import { oneOf } from 'telltale-engine/internal/base/shape.js';
import { about, closed, count, list, orNull, share, text } from './schema-parts.js';

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
