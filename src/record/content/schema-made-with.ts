// Schema of the networks, lists and arithmetic that a check used.
import { Type } from '@sinclair/typebox';
import { oneOf } from 'telltale-engine/internal/base/shape.js';
import { TRUST_TIERS } from 'telltale-engine/internal/check/types.js';
import { about, closed, count, day, digits, list, orNull, share, text } from './schema-parts.js';

/** Everything that determines a score, except the image. */
export const MadeWith = Type.Object(
  {
    telltale: text('version of the program'),
    model: text('version of the networks'),
    bands_version: text('version of the thresholds'),
    views: orNull(count('crops of the image that the encoder saw', 1)),
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
            tier: oneOf(TRUST_TIERS, 'whose list it is'),
            purpose: oneOf(['signing', 'time_stamp'], 'for what its anchors vouch'),
            anchors: count('certificates in use'),
            date: day,
          },
          closed,
        ),
        'active when the image was checked; null in a record of the history',
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
