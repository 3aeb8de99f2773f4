// Tests thresholds from an operator's images: intervals, the fit for photographs and drawings, and too few
// images.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { shareOf } from '../../../src/calibration/thresholds/binomial.js';
import {
  calibrate,
  type Aims,
  fitByMedium,
  thresholdAt,
} from '../../../src/calibration/thresholds/calibrate.js';
import { buildCalibrationPage } from '../../../src/calibration/thresholds/calibration-page.js';
import { cautionOf, formatBands, nameBands } from '../../../src/calibration/thresholds/own-thresholds.js';
import type { FitImage } from '../../../src/calibration/thresholds/fit-images.js';
import { loadBands } from '../../../src/library/check/thresholds/bands.js';
import { logOdds } from '../../../src/library/base/numbers.js';
import type { Bands, ProfileBands } from '../../../src/library/check/types.js';
import { makeFolder } from '../../support/folders.js';

const AIMS: Aims = { strict: 0.003, balanced: 0.01, sensitive: 0.05 };

const band = (threshold: number) => ({
  threshold,
  falseAlarmRate: 0.01,
  recall: { clean: 0.5, web: 0.4, hard: 0.3 },
});
const profile = (photographed: number, drawn: number, face: number): ProfileBands => ({
  fullImage: { photographed: band(photographed), drawn: band(drawn) },
  face: band(face),
});
const SHIPPED: Bands = {
  version: '2026-11-21.1',
  model: 'telltale-1.0.0',
  profiles: {
    strict: profile(0.95, 0.97, 0.6),
    balanced: profile(0.9, 0.95, 0.5),
    sensitive: profile(0.8, 0.85, 0.4),
  },
};

/** Returns `count` images whose scores rise evenly from 0 to `highest`. */
function images(count: number, highest: number, more: Partial<FitImage> = {}): FitImage[] {
  return Array.from({ length: count }, (_, at) => ({
    path: `/p/${at}.jpg`,
    sha256: String(at),
    isAi: false,
    source: 's',
    group: 's',
    kind: '',
    content: '',
    fullImage: ((at + 0.5) / count) * highest,
    drawn: 0,
    face: null,
    perceptualHash: null,
    ...more,
  }));
}

describe('the error rate counted on a set of images', () => {
  it('has the exact binomial confidence interval', () => {
    // Published values: Clopper-Pearson intervals as printed by R's binom.test.
    for (const [counted, of, low, high] of [
      [0, 300, 0, 0.01222],
      [1, 334, 0.0000758, 0.01657],
      [3, 300, 0.002067, 0.02894],
      [10, 10, 0.6915, 1],
    ] as const) {
      const share = shareOf(counted, of);
      assert.ok(Math.abs(share.low - low) < 2e-5, `${counted} of ${of}: ${share.low}`);
      assert.ok(Math.abs(share.high - high) < 2e-5, `${counted} of ${of}: ${share.high}`);
    }
  });
});

describe('thresholds fitted separately for photographs and drawings', () => {
  it('each flag the targeted share of their own genuine images', () => {
    const rows = Array.from({ length: 2000 }, (_, at) => ({
      odds: Math.sin(at * 12.9898) * 4,
      drawn: Math.round(Math.abs(Math.sin(at * 78.233)) * 10_000) / 10_000,
    }));
    const odds = fitByMedium(rows, 0.05);
    for (const isDrawn of [false, true]) {
      const mine = rows.filter(({ drawn }) => drawn >= 0.5 === isDrawn);
      const fired = mine.filter(
        (row) => row.odds >= (1 - row.drawn) * odds.photographed + row.drawn * odds.drawn,
      );
      assert.equal(fired.length, Math.floor(0.05 * mine.length));
    }
  });

  it('are rounded up, so that they lie above a score with four decimals', () => {
    const rows = [0.9, 0.5, 0.4].map((score) => ({ odds: logOdds(score), drawn: 0 }));
    assert.equal(thresholdAt(fitByMedium(rows, 0).photographed), 0.9001);
  });
});

describe('calibrating thresholds to an operator’s images', () => {
  it('flags the targeted share of genuine images and measures the recall on AI images', () => {
    const ai = images(10, 1, { isAi: true });
    const { profiles, thresholds } = calibrate([...images(1000, 0.5), ...ai], SHIPPED, AIMS);
    const row = thresholds.find(({ profile, medium }) => profile === 'balanced' && medium === 'photographed');
    assert.equal(row?.keptReason, null);
    assert.equal(row.after.falseAlarms.count, 10);
    assert.equal(profiles.balanced.fullImage.photographed.falseAlarmRate, 0.01);
    assert.equal(row.after.threshold, profiles.balanced.fullImage.photographed.threshold);
    assert.ok(row.after.threshold > 0.494 && row.after.threshold < 0.496);
    assert.deepEqual([row.before.recall.count, row.after.recall.count], [1, 5]);
    assert.deepEqual(profiles.balanced.fullImage.photographed.recall, { clean: 0.5, web: null, hard: null });
  });

  it('keeps the shipped threshold for a kind of image with too few examples, and explains why', () => {
    const { profiles, thresholds } = calibrate(images(300, 0.5), SHIPPED, AIMS);
    const kept = thresholds.filter(({ keptReason: kept }) => kept !== null);
    assert.deepEqual(
      kept.map(({ profile, medium }) => [profile, medium]),
      [
        ['strict', 'photographed'],
        ['strict', 'drawn'],
        ['strict', null],
        ['balanced', 'drawn'],
        ['balanced', null],
        ['sensitive', 'drawn'],
        ['sensitive', null],
      ],
    );
    assert.match(kept[0]!.keptReason!, /a rate of 0\.3% needs 334 images, but there are 300/);
    assert.deepEqual(profiles.strict, SHIPPED.profiles.strict);
    assert.deepEqual(profiles.sensitive.face, SHIPPED.profiles.sensitive.face);
  });

  it('never gives a stricter profile a lower threshold', () => {
    const { profiles, thresholds } = calibrate(images(300, 0.999), SHIPPED, AIMS);
    const [strict, balanced] = [profiles.strict, profiles.balanced].map(
      ({ fullImage }) => fullImage.photographed.threshold,
    );
    assert.ok(balanced! > SHIPPED.profiles.strict.fullImage.photographed.threshold);
    assert.equal(strict, balanced);
    assert.match(thresholds[0]!.keptReason!, /^raised/);
  });

  it('uses a threshold between both for an image that may be a photograph or a drawing', () => {
    const between = images(1000, 0.9, { drawn: 0.3 });
    const one = profile(0.9, 0.95, 0.5);
    const shipped = {
      ...SHIPPED,
      profiles: { strict: one, balanced: one, sensitive: one },
    };
    const { profiles, thresholds } = calibrate(between, shipped, AIMS);
    const row = thresholds.find(({ profile, medium }) => profile === 'balanced' && medium === 'photographed');
    assert.equal(row?.after.falseAlarms.count, 10);
    assert.ok(
      profiles.balanced.fullImage.photographed.threshold < 0.89,
      'the drawn threshold, which stays, lifts theirs',
    );
  });
});

describe('the warnings about calibrated thresholds', () => {
  const cautions = (highest: number): string[] =>
    cautionOf(calibrate(images(1000, highest), SHIPPED, AIMS).thresholds);

  it('name thresholds that were fitted to fewer than 100 images', () => {
    const faces = images(300, 0.5).map((image, at) => (at < 29 ? { ...image, face: at / 60 } : image));
    const [few] = cautionOf(calibrate(faces, SHIPPED, AIMS).thresholds);
    assert.match(few!, /^caution: fitted to fewer than 100 genuine images.*: sensitive face 0\.4000 to /);
  });

  it('name thresholds that fall because few images were flagged, and changes larger than chance', () => {
    // With the old threshold no image was flagged. For 1000 images this allows rates from 0 to 0.37%, so the
    // targets 1% and 5% are excluded but 0.3% is not.
    const [fallen, beyond, ...rest] = cautions(0.5);
    assert.match(
      fallen!,
      /^caution: the threshold falls, because the old one flagged at most half of the target FPR/,
    );
    assert.match(
      fallen!,
      /: strict photographed 0\.9500 to 0\.49\d\d \(log odds −2\.9\d\), balanced .*, sensitive /,
    );
    assert.doesNotMatch(fallen!, /drawn|face/, 'what stays is not named');
    assert.match(beyond!, /^caution: the threshold moves by more log odds than chance explains/);
    assert.match(
      beyond!,
      /: balanced photographed 0\.9000 to 0\.49\d\d \(log odds .*, sensitive photographed /,
    );
    assert.doesNotMatch(beyond!, /strict/);
    assert.deepEqual(rest, []);
  });

  it('name thresholds that rise by more than chance, and are empty for expected images', () => {
    const risen = cautions(1);
    assert.equal(risen.length, 1);
    assert.match(
      risen[0]!,
      /chance explains.*: strict photographed 0\.9500 to 0\.99\d\d \(log odds \+2\.\d\d\), balanced/,
    );
    const shipped = calibrate(images(1000, 0.9), SHIPPED, AIMS);
    const same = { ...SHIPPED, profiles: shipped.profiles };
    assert.deepEqual(cautionOf(calibrate(images(1000, 0.9), same, AIMS).thresholds), []);
  });
});

describe('a calibrated thresholds file', () => {
  const folder = makeFolder('bands');
  const { profiles } = calibrate(images(1000, 0.5), SHIPPED, AIMS);
  const bands = nameBands({ model: 'telltale-1.0.0', profiles }, 'desk', new Date('2026-11-23T10:00:00Z'));

  it('can be read back unchanged and has its own version', async () => {
    assert.match(bands.version, /^2026-11-23\+desk\.[0-9a-f]{8}$/);
    const path = join(folder, 'bands.json');
    await writeFile(path, formatBands(bands));
    assert.deepEqual(await loadBands(path, 'telltale-1.0.0'), bands);
  });

  it('comes with an HTML page of error rates that escapes every inserted text', async () => {
    const calibration = calibrate(images(1000, 0.5), SHIPPED, AIMS);
    const seen = images(1000, 0.5, { path: '/p/<script>.jpg' });
    const facts = { calibration, before: SHIPPED, after: bands, images: seen, madeAt: new Date() };
    const page = await buildCalibrationPage({ ...facts, warnings: ['2 <b>copies'] }, () =>
      Promise.resolve(new Uint8Array([1])),
    );
    assert.match(page, /Whole image, balanced: genuine images that fire<\/h2>/);
    assert.match(page, /the nearest 12 of 50/);
    assert.match(page, /2 &lt;b&gt;copies/);
    assert.ok(!page.includes('<script>'));
    assert.ok(page.includes(bands.version) && page.includes(SHIPPED.version));
  });
});
