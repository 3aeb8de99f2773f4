// Tests early exit in a manifest: stages of crops, and the score limits after each stage.
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { loadModels } from '../../../src/library/engine/manifests/manifest.js';
import { copyManifests, editManifest, isModelFault, type Manifest } from '../../support/models-folder.js';

/** A stage as the engine receives it. */
interface ShownRound {
  readonly shares: readonly { readonly count: number; readonly weight: number }[];
  readonly bias: number;
  readonly earlyExit: object | null;
}

describe('a detector’s manifest with early exits (verdicts after part of the crops)', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await copyManifests();
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Adds a stage of one whole and one native crop to the detector, before the stage of all crops. */
  async function addRound(
    change: (early: Manifest, round: Manifest) => void = () => undefined,
  ): Promise<void> {
    await editManifest(folder, 'full_image_specialist', (manifest) => {
      const bounds = { below: 0.25, above: 0.75 };
      const round = {
        views: 2,
        kinds: { whole: { count: 1, weight: 0.5 }, native: { count: 1, weight: 0.25 } },
        bias: 0.125,
        bounds: { photographed: bounds, drawn: { below: 0.5, above: 0.9 } },
      };
      const early = { model: `telltale-${manifest['version'] as never as string}`, rounds: [round] };
      change(early as never, round as never);
      manifest['early_exit'] = early as never;
    });
  }

  it('allows early exits only if no number of crops is configured', async () => {
    await addRound();
    const { models, earlyExits, views } = await loadModels(folder, null);
    assert.equal(views, 5);
    assert.deepEqual(earlyExits, [
      { photographed: { below: 0.25, above: 0.75 }, drawn: { below: 0.5, above: 0.9 } },
    ]);
    const [first, last, ...none] = models.fullImage['stages'] as readonly ShownRound[];
    assert.deepEqual(none, []);
    assert.deepEqual(first?.shares, [
      { count: 1, weight: 0.5 },
      { count: 0, weight: 0 },
      { count: 1, weight: 0.25 },
    ]);
    assert.equal(first.bias, 0.125);
    assert.deepEqual(first.earlyExit, {
      below: [Math.log(0.25 / 0.75), 0],
      above: [Math.log(0.75 / 0.25), Math.log(0.9 / (1 - 0.9))],
    });
    assert.deepEqual(
      last?.shares.map(({ count }) => count),
      [1, 2, 2],
    );
    assert.equal(last.earlyExit, null);
    const asked = await loadModels(folder, 5);
    assert.deepEqual(asked.models.fullImage['stages'], [last]);
    assert.deepEqual(asked.earlyExits, []);
  });

  for (const [what, change, fault] of [
    [
      'belongs to another model',
      (early) => (early['model'] = 'telltale-0.9.0' as never),
      /Expected "telltale-.*" for 'early_exit.model' but received 'telltale-0.9.0'/,
    ],
    [
      'has no plan',
      (_, round) => delete round['kinds'],
      /an object that is not empty for 'early_exit.rounds.0.kinds' but received nothing/,
    ],
    [
      'has no score limits for drawn images',
      (_, round) => delete round['bounds']!['drawn'],
      /Expected an object with below, above for 'early_exit.rounds.0.bounds.drawn' but received nothing/,
    ],
    [
      'has an upper score limit below the lower one',
      (_, round) => (round['bounds']!['photographed'] = { below: 0.8, above: 0.7 } as never),
      /Expected a number over 0.8, which is below, for 'early_exit.rounds.0.bounds.photographed.above' but received 0.7/,
    ],
    [
      'uses more views than exist',
      (_, round) => {
        round['views'] = 4 as never;
        round['kinds']!['native']!['count'] = 3 as never;
      },
      /Expected 0 to 2, between the counts of the neighbouring rounds, for 'early_exit.rounds.0.kinds.native.count' but received 3/,
    ],
    [
      'uses fewer views than the early exit before it',
      (early, round) =>
        (early['rounds'] = [
          round,
          { ...round, views: 1, kinds: { whole: { count: 1, weight: 1 } } },
        ] as never),
      /Expected 1 to 2, between the counts of the neighbouring rounds, for 'early_exit.rounds.1.kinds.native.count' but received 0/,
    ],
    [
      'has no view that tells drawn from photographed images',
      (_, round) => {
        round['views'] = 1 as never;
        delete round['kinds']!['whole'];
      },
      /Expected views of one of drawn.kinds for 'early_exit.rounds.0.kinds'/,
    ],
    [
      'section is empty',
      (early) => (early['rounds'] = [] as never),
      /an array that is not empty for 'early_exit.rounds' but received an array/,
    ],
  ] as readonly [string, (early: Manifest, round: Manifest) => unknown, RegExp][])
    it(`is refused if an early exit ${what}`, async () => {
      await addRound(change);
      await assert.rejects(loadModels(folder, null), isModelFault(fault));
      await assert.rejects(loadModels(folder, 5), isModelFault(fault));
    });
});
