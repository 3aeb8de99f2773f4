// Tests that the Node baseline reaches the same verdicts as Telltale, because the benchmark compares equal
// work.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createChecker, presentCheck } from 'telltale';
import { createBaseline } from '../../bench/baselines/node/check.js';
import { readViews } from '../../bench/baselines/node/models.js';
import { SCORE_TOLERANCE } from '../../bench/trials/agreement.js';
import { ROOT, fixture } from '../support/telltale.js';
import { usePackagedModels } from '../support/test-models.js';

describe('the Node baseline of the benchmark', () => {
  usePackagedModels();

  it('returns the same verdicts as Telltale for images with and without faces', async () => {
    const names = ['portrait.png', 'portrait-face-swapped.jpg', 'scene.jpg'].map((name) =>
      join(ROOT, 'samples', name),
    );
    const files = [...names, fixture('jpeg/scene.jpg'), fixture('webp/scene.webp')];
    const [checker, baseline] = await Promise.all([
      createChecker({ device: 'cpu', views: readViews() }),
      createBaseline(),
    ]);
    for (const file of files) {
      const bytes = readFileSync(file);
      const ours = presentCheck(await checker.check(bytes));
      const theirs = await baseline(bytes);
      assert.deepEqual(
        [theirs.is_ai, theirs.fired, theirs.face_found],
        [ours.is_ai, ours.fired, ours.face_found],
        file,
      );
      for (const name of ['full_image_specialist', 'face_specialist'] as const) {
        const difference = Math.abs((theirs.scores[name] ?? 0) - (ours.scores[name] ?? 0));
        assert.ok(difference <= SCORE_TOLERANCE, `${file}: ${name} differs by ${difference}`);
      }
    }
    await checker.close();
  });
});
