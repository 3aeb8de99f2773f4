// Schema of how a check was made: networks, thresholds, trust lists and processor.
import { Type } from '@sinclair/typebox';
import { oneOf } from 'telltale-engine/internal/base/shape.js';
import { TRUST_TIERS } from 'telltale-engine/internal/check/types.js';
import { about, closed, count, day, digits, list, orNull, share, text } from './schema-parts.js';

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
