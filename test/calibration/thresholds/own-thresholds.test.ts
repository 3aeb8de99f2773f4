// Tests thresholds fitted to images of several accounts: no account dominates, and the report names the
// accounts.
import assert from 'node:assert/strict';
import { makeThresholds, refuseFewGenuine } from '../../../src/calibration/thresholds/own-thresholds.js';
import type { FitImage } from '../../../src/calibration/thresholds/fit-images.js';
import { shareByThreshold } from '../../../src/calibration/thresholds/share-out.js';
import {
  formatThresholdsCard,
  describeLabellers,
} from '../../../src/calibration/thresholds/thresholds-card.js';
import { shippedBands } from '../../support/cleared.js';

let images = 0;
/** Returns images of an account whose scores rise evenly from 0 to 1. */
function of(source: string, count: number, more: Partial<FitImage> = {}): FitImage[] {
  return Array.from({ length: count }, (_, at) => {
    images += 1;
    return {
      path: `chk_${images}`,
      sha256: String(images),
      isAi: false,
      source,
      group: 'real',
      kind: '',
      content: '',
      fullImage: at / count,
      drawn: 0,
      face: null,
      perceptualHash: null,
      ...more,
    };
  });
}

const count = (seen: readonly FitImage[], source: string, more: Partial<FitImage> = {}): number =>
  seen.filter(
    (image) =>
      image.source === source &&
      Object.entries(more).every(([name, value]) => image[name as keyof FitImage] === value),
  ).length;

describe('choosing images of several accounts for a threshold', () => {
  const seen = [
    ...of('a', 50),
    ...of('b', 200),
    // All drawings and nearly all faces are in account a.
    ...of('a', 40, { drawn: 1 }),
    ...of('a', 10, { face: 0.4 }),
    ...of('b', 4, { face: 0.4 }),
    ...of('b', 7, { isAi: true }),
  ];

  it('takes at most as many images from one account as from all other accounts together', () => {
    const { taken, surplus } = shareByThreshold(seen, true);
    assert.deepEqual([count(taken, 'a', { drawn: 0 }), count(taken, 'b', { drawn: 0 })], [60, 60]);
    assert.equal(count(taken, 'a', { drawn: 1 }), 0);
    assert.equal(count(taken, 'b', { isAi: true }), 0);
    // Account a may contribute as many faces as account b. The other account's images are not limited.
    const faces = taken.filter(({ face }) => face !== null).map(({ source }) => source);
    assert.ok(
      faces.filter((source) => source === 'a').length <= faces.filter((source) => source === 'b').length,
    );
    assert.equal(taken.length + surplus.length, seen.length);
  });

  it('takes all images if the installation has a single account', () => {
    assert.deepEqual(shareByThreshold(seen, false).surplus, []);
  });
});

describe('thresholds fitted by an operator', () => {
  it('are refused for fewer than 300 genuine images, however many AI images there are', () => {
    const none = { copies: [], refused: [], contradictions: [], surplus: [] };
    refuseFewGenuine({ ...none, usable: of('a', 300) });
    assert.throws(
      () => refuseFewGenuine({ ...none, usable: [...of('a', 299), ...of('a', 9, { isAi: true })] }),
      {
        code: 'invalid_request',
        message: /^Expected at least 300 different genuine images but received 299\./,
      },
    );
  });

  it('come with an HTML report of the rates and the accounts, in which all names are escaped', () => {
    const before = shippedBands();
    const seen = [...of('acc_1', 400), ...of('acc_2', 300, { drawn: 1 })];
    const madeAt = new Date('2026-11-25T10:00:00Z');
    const aims = { strict: 0.003, balanced: 0.01, sensitive: 0.05 };
    const newThresholds = makeThresholds({ images: seen, before, aims, name: 'desk', madeAt });
    assert.match(newThresholds.bands.version, /^2026-11-25\+desk\.[0-9a-f]{8}$/);
    assert.equal(newThresholds.bands.model, before.model);
    const labellers = new Map([
      ['acc_1', { name: 'mill | <b>', members: 3, hasOthers: true }],
      ['acc_2', { name: 'desk', members: 1, hasOthers: false }],
    ]);
    const labellerTable = describeLabellers(seen, labellers, {
      before,
      after: newThresholds.bands,
      profile: 'sensitive',
    });
    assert.deepEqual(
      labellerTable.slice(1).map(([name, all, , after, by]) => [name, all, after, by]),
      [
        ['mill | <b>', '400', '20 of 400, 5%', '3 members, API keys or former members'],
        ['desk', '300', '15 of 300, 5%', '1 member'],
      ],
    );
    const card = formatThresholdsCard({
      newThresholds,
      before,
      labellerTable,
      warnings: ['*all*'],
      selection: 'Of all.',
      madeAt,
    });
    assert.match(
      card,
      /^# 2026-11-25\+desk\.\w{8}\n\nThresholds for telltale-\S+, made 2026-11-25, instead of /,
    );
    assert.match(
      card,
      /\| sensitive \| drawn \| 5% \| 0\.\d{4} \| \d+ of 300, .* \| 15 of 300, 5% \(2\.82% to /,
    );
    assert.ok(card.includes('| mill \\| \\<b\\> | 400 |'), card);
    assert.ok(card.includes('* \\*all\\*'));
  });
});
