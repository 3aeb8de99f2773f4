// Tests which heat maps people see, and that annotated images follow the same rule.
import assert from 'node:assert/strict';
import { drawVerdict } from '../../../src/library/check/draw-verdict.js';
import { selectHeat } from '../../../src/library/check/heat-map.js';
import type { Signal } from '../../../src/library/check/types.js';
import type { AnnotateOptions, Engine } from '../../../src/library/engine/types.js';

const CELLS = [
  { box: [0, 0, 9, 9], score: 0.3 },
  { box: [9, 0, 9, 9], score: 0.95 },
] as const;

describe('the heat map', () => {
  it('is shown only if the image as a whole is flagged and a cell stands out', () => {
    assert.deepEqual(selectHeat(['full_image_specialist', 'face_specialist'], CELLS), CELLS);
    assert.deepEqual(selectHeat(['full_image_specialist'], CELLS.slice(0, 1)), []);
    assert.deepEqual(selectHeat(['face_specialist'], CELLS), []);
    assert.deepEqual(selectHeat([], CELLS), []);
  });

  it('is drawn on annotated images by the same rule, and flagged faces are marked', async () => {
    const drawn: AnnotateOptions[] = [];
    const engine = {
      annotate: (_bytes: Uint8Array, options: AnnotateOptions) => Promise.resolve(void drawn.push(options)),
    } as unknown as Engine;
    for (const fired of [['face_specialist'], ['full_image_specialist']] satisfies Signal[][])
      await drawVerdict(
        engine,
        new Uint8Array(),
        {
          ...{ assessment: 'likely_ai', fired, patches: CELLS, faceThreshold: 0.9 },
          wholeImage: { score: 0.5, threshold: 0.9 },
          face: { score: 0.99, threshold: 0.9 },
          faces: [
            { box: [1, 1, 80, 80], score: 0.99 },
            { box: [90, 1, 80, 80], score: 0.1 },
          ],
        },
        100,
      );
    const [byFace, byImage] = drawn;
    assert.deepEqual([byFace?.patches, byImage?.patches], [[], CELLS]);
    assert.deepEqual(
      byFace?.faces.map(({ alarm }) => alarm),
      [true, false],
    );
  });
});
