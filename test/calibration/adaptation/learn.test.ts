// Corrections on made-up embeddings: what is learned, what is not forgotten, and when nothing is worth shipping.
import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatCard } from '../../../src/calibration/adaptation/card.js';
import { dealFolds } from '../../../src/calibration/adaptation/folds.js';
import {
  fitThresholds,
  learnCorrection,
  thresholdsOf,
  type OwnPicture,
} from '../../../src/calibration/adaptation/learn.js';
import { fitLogistic } from '../../../src/calibration/adaptation/logistic.js';
import { countEffect, findFault, fitBands } from '../../../src/calibration/adaptation/effect.js';
import {
  loadReference,
  type Reference,
  type ReferenceRow,
} from '../../../src/calibration/adaptation/reference.js';
import { loadBands } from '../../../src/check/thresholds/bands.js';
import type { Bands } from '../../../src/check/types.js';
import { ROOT } from '../../support/telltale.js';

const NUMBERS = 4;
const PROFILE = 'balanced';

/** A number of -1..1 that is the same each time. */
const wave = (seed: number): number => Math.sin(seed * 12.9898) ** 3;
const point = (seed: number, at: readonly number[] = []): Float64Array =>
  Float64Array.from({ length: NUMBERS }, (_, number) => 0.3 * wave(seed + number * 77) + (at[number] ?? 0));

const band = (threshold: number) => ({
  threshold,
  falseAlarmRate: 0.01,
  recall: { clean: 0.5, web: 0.4, hard: 0.3 },
});
/** Genuine pictures of low scores and AI pictures of high ones, one a source each. */
const REFERENCE: Reference = {
  model: 'telltale-1.0.0',
  numbers: NUMBERS,
  rates: { strict: 0.003, balanced: 0.01, sensitive: 0.05 },
  worstGroup: 4,
  faceThresholds: { strict: 0.6, balanced: 0.4, sensitive: 0.2 },
  rows: Array.from({ length: 400 }, (_, at) => {
    const isAi = at % 4 === 0;
    return {
      picture: at,
      isAi,
      source: `s${at % 20}`,
      generator: '',
      tier: 'clean',
      odds: (isAi ? 5 : -1) + 2 * wave(at + 5),
      drawn: at % 8 < 4 ? 0.01 : 0.99,
      group: isAi ? '' : 'camera',
      weight: isAi ? 0 : 1,
      face: null,
      embedding: point(at),
    };
  }),
};
/** What ships is fitted to the reference. */
const FITTED = fitThresholds(
  REFERENCE,
  REFERENCE.rows.map(({ odds }) => odds),
);
const profileOf = ({ photographed, drawn }: (typeof FITTED)['balanced']) => ({
  fullImage: { photographed: band(photographed), drawn: band(drawn) },
  face: band(0.5),
});
const SHIPPED: Bands = {
  version: '2026-11-21.1',
  model: 'telltale-1.0.0',
  profiles: {
    strict: profileOf(FITTED.strict),
    balanced: profileOf(FITTED.balanced),
    sensitive: profileOf(FITTED.sensitive),
  },
};
const SETTING = { reference: REFERENCE, shipped: SHIPPED, profile: PROFILE } as const;

/** Pictures of a generator that nobody finds, which lies apart from all others. */
function unknown(count: number, isAi = true, place: readonly number[] = [0, 0, 3, 0]): OwnPicture[] {
  return Array.from({ length: count }, (_, at) => ({
    isAi,
    source: 'one',
    fullImage: 0.3,
    drawn: 0.01,
    embedding: point(1000 + at, place),
  }));
}

describe('fitLogistic', () => {
  it('finds where the slope of loss and penalty is nothing', () => {
    const features = Array.from({ length: 60 }, (_, at) => point(at));
    const offsets = Float64Array.from(features, (_, at) => wave(at * 3));
    const labels = Float64Array.from(features, ([first = 0], at) => (at % 5 === 0 ? 0.5 : Number(first > 0)));
    const weights = fitLogistic({ features, offsets, labels }, 2);
    for (let number = 0; number < NUMBERS; number += 1) {
      const slope = features.reduce((sum, row, at) => {
        const odds =
          offsets[at]! + row.reduce((product, value, index) => product + value * weights[index]!, 0);
        return sum + row[number]! * (1 / (1 + Math.exp(-odds)) - labels[at]!);
      }, 2 * weights[number]!);
      assert.ok(Math.abs(slope) < 1e-4, `${number}: ${slope}`);
    }
    assert.ok(weights[0]! > Math.abs(weights[1]!));
  });

  it('leaves everything where it is when the labels are what the offsets say', () => {
    const features = [point(1), point(2), point(3)];
    const offsets = Float64Array.from([2, -1, 0.5]);
    const labels = offsets.map((odds) => 1 / (1 + Math.exp(-odds)));
    for (const weight of fitLogistic({ features, offsets, labels }, 1)) assert.ok(Math.abs(weight) < 1e-12);
  });
});

describe('dealFolds', () => {
  it('keeps a source together, and deals pictures where there is one source', () => {
    const of = (isAi: boolean, sources: string): { isAi: boolean; source: string }[] =>
      [...sources].map((source) => ({ isAi, source }));
    const folds = [...dealFolds([...of(false, 'aaabbc'), ...of(true, 'xxxxxxx')])];
    assert.deepEqual(folds, [0, 0, 0, 1, 1, 2, 0, 1, 2, 3, 4, 0, 1]);
  });
});

describe('a correction', () => {
  it('finds what was missed and leaves the reference as it is', () => {
    const own = unknown(30);
    const learned = learnCorrection(own, SETTING);
    const outcome = countEffect(own, SETTING, learned);
    assert.equal(outcome.ai.before.counted, 0);
    assert.ok(outcome.ai.after.rate > 0.8, `found ${outcome.ai.after.rate}`);
    assert.ok(outcome.kept.before.rate - outcome.kept.after.rate <= 0.02);
    assert.equal(findFault(outcome), null);
    const bands = fitBands(SHIPPED, REFERENCE, learned);
    assert.deepEqual(bands.balanced.fullImage.drawn.threshold, learned.thresholds.balanced.drawn);
    assert.ok(bands.balanced.fullImage.photographed.falseAlarmRate <= 0.01);
    assert.deepEqual(bands.strict.face, SHIPPED.profiles.strict.face);
  });

  it('takes false alarms away', () => {
    const own = unknown(30, false).map((picture) => ({ ...picture, fullImage: 0.97 }));
    const outcome = countEffect(own, SETTING, learnCorrection(own, SETTING));
    assert.equal(outcome.genuine.before.counted, 30);
    assert.ok(outcome.genuine.after.rate < 0.2, `fires on ${outcome.genuine.after.rate}`);
    assert.equal(findFault(outcome), null);
  });

  it('stays small enough to keep the reference, where a larger one would find more and forget', () => {
    const towards = (row: ReferenceRow, at: number): ReferenceRow => ({
      ...row,
      embedding: !row.isAi && at % 20 === 1 ? point(at, [0, 0, 0.6, 0]) : row.embedding,
    });
    const setting = { ...SETTING, reference: { ...REFERENCE, rows: REFERENCE.rows.map(towards) } };
    const own = unknown(200, true, [0, 0, 2, 0]);
    const outcome = countEffect(own, setting, learnCorrection(own, setting));
    assert.equal(findFault(outcome), null);
    assert.ok(outcome.ai.after.rate > 0.5, `found ${outcome.ai.after.rate}`);
  });

  it('is not shipped where its pictures are like any others, or their labels are chance', () => {
    const like = Array.from({ length: 40 }, (_, at) => ({
      isAi: wave(at * 31) > 0,
      source: `o${at}`,
      fullImage: 0.3,
      drawn: 0.01,
      embedding: point(3000 + at),
    }));
    assert.match(
      findFault(countEffect(like, SETTING, learnCorrection(like, SETTING)))!,
      /beyond chance|fewer|more/,
    );
  });

  it('is not shipped for so few pictures that the gain may be chance', () => {
    const own = [...unknown(4), ...unknown(30, false, [0, 0, -3, 0])];
    assert.match(findFault(countEffect(own, SETTING, learnCorrection(own, SETTING)))!, /not beyond chance/);
  });

  it('stands a tenth of wrong labels', () => {
    const own = unknown(30).map((picture, at) => ({ ...picture, isAi: at >= 3 }));
    const outcome = countEffect(own, SETTING, learnCorrection(own, SETTING));
    assert.ok(outcome.ai.after.rate > 0.5, `found ${outcome.ai.after.rate}`);
  });

  it('has a card that says what it does', () => {
    const own = unknown(30);
    const learned = learnCorrection(own, SETTING);
    const card = formatCard({
      model: 'telltale-1.0.0+desk.20261123',
      corrects: 'telltale-1.0.0',
      bandsVersion: 'b',
      outcome: countEffect(own, SETTING, learned),
      learned,
      warnings: ['2 pictures are copies: <a>'],
      madeAt: new Date('2026-11-23T10:00:00Z'),
    });
    assert.match(card, /^# telltale-1\.0\.0\+desk\.20261123\n/);
    assert.match(card, /\| your AI pictures \| 0 of 30, 0% \| \d+ of 30/);
    assert.match(card, /copies: \\<a\\>/);
    assert.ok(!card.includes('your genuine pictures |'), 'there are none');
  });
});

describe('thresholds fitted to the reference', () => {
  it('leave the whole picture what the faces have not spent of the rate', () => {
    const odds = REFERENCE.rows.map((row) => row.odds);
    // Two that the whole picture leaves alone: their faces accuse them, from the sensitive threshold on.
    const lowest = REFERENCE.rows
      .filter(({ isAi, drawn }) => !isAi && drawn < 0.5)
      .sort((one, other) => one.odds - other.odds)
      .slice(0, 2);
    const spent = REFERENCE.rows.map((row) => (lowest.includes(row) ? { ...row, face: 0.3 } : row));
    const fitted = fitThresholds({ ...REFERENCE, rows: spent }, odds);
    assert.ok(fitted.sensitive.photographed > FITTED.sensitive.photographed);
    assert.deepEqual(fitted.strict, FITTED.strict);
  });
});

describe('the reference that ships', () => {
  it('is small, of the shipped model, and gives the shipped thresholds where nothing is corrected', async () => {
    const folder = join(ROOT, 'models', 'reference');
    const sizes = await Promise.all(
      (await readdir(folder)).map(async (name) => (await readFile(join(folder, name))).length),
    );
    assert.ok(sizes.reduce((sum, size) => sum + size, 0) <= 5_000_000);
    const reference = await loadReference(folder);
    const bands = await loadBands(join(ROOT, 'models', 'bands.json'), reference.model);
    assert.deepEqual(
      fitThresholds(
        reference,
        reference.rows.map(({ odds }) => odds),
      ),
      thresholdsOf(bands),
    );
  });

  it('is refused where its files do not fit each other', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'telltale-reference-'));
    await assert.rejects(loadReference(folder), { code: 'model_invalid' });
    const shipped = join(ROOT, 'models', 'reference');
    for (const file of ['rows.csv', 'embeddings.bin'])
      await copyFile(join(shipped, file), join(folder, file));
    const facts = JSON.parse(await readFile(join(shipped, 'reference.json'), 'utf8')) as { rates: object };
    const faults: readonly (readonly [object, RegExp])[] = [
      [{ ...facts, worst_gruop: 4 }, /'worst_gruop' is not known here; did you mean 'worst_group'\?/],
      [{ ...facts, rates: { ...facts.rates, strict: 0 } }, /a number over 0 and up to 1 for 'rates\.strict'/],
      [{ ...facts, numbers: 255 }, /its files are not of one run/],
    ];
    for (const [content, message] of faults) {
      await writeFile(join(folder, 'reference.json'), JSON.stringify(content));
      await assert.rejects(loadReference(folder), { code: 'model_invalid', message });
    }
    await rm(folder, { recursive: true });
  });
});
