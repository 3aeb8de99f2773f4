// Tests accuracy measures against values computed by hand, their intervals, and the report with plots.
import assert from 'node:assert/strict';
import { parse } from 'csv-parse/sync';
import { resample, createSample, measure, rocCurve } from '../../../src/calibration/evaluation/measures.js';
import { plotHistograms, plotRoc } from '../../../src/calibration/evaluation/plots.js';
import { formatReport, formatScores } from '../../../src/calibration/evaluation/report-text.js';
import { assembleReport, selectRows } from '../../../src/calibration/evaluation/report.js';
import type { ScoredImage } from '../../../src/calibration/evaluation/score-images.js';
import { PROFILE_BANDS } from '../../support/evidence.js';

const sampleOf = (ai: readonly number[], genuine: readonly number[], thresholds: readonly number[] = []) => {
  const rowOf = (score: number, isAi: boolean, unit: number) => {
    return { score, isAi, unit, fired: thresholds.map((threshold) => score >= threshold) };
  };
  return createSample([
    ...ai.map((score, at) => rowOf(score, true, at)),
    ...genuine.map((score, at) => rowOf(score, false, ai.length + at)),
  ]);
};

describe('the accuracy measures of a data set', () => {
  it('include the area under the ROC curve, with equal scores counted half', () => {
    assert.equal(measure(sampleOf([0.9, 0.8], [0.1, 0.2])).auc, 1);
    assert.equal(measure(sampleOf([0.1, 0.2], [0.9, 0.8])).auc, 0);
    // In three of the six pairs the AI image scores higher, and in one pair the scores are equal: 3.5 / 6.
    assert.equal(measure(sampleOf([0.9, 0.5, 0.1], [0.5, 0.2])).auc, 3.5 / 6);
    assert.equal(measure(sampleOf([0.5], [0.5])).auc, 0.5);
    assert.ok(Number.isNaN(measure(sampleOf([0.5], [])).auc));
  });

  it('include the recall at 1% and 5% false positives', () => {
    const genuine = Array.from({ length: 100 }, (_, at) => at / 100);
    // At 1% false positives the genuine score 0.99 may be flagged, and at 5% the genuine scores from 0.95 on.
    const { recallAt } = measure(sampleOf([0.985, 0.96, 0.935, 0.2], genuine));
    assert.deepEqual(recallAt, [0.25, 0.5]);
    assert.deepEqual(measure(sampleOf([0.5], [0.5])).recallAt, [0, 0]);
  });

  it('include the rates at a threshold, where a score equal to the threshold counts as flagged', () => {
    const { atThresholds } = measure(sampleOf([0.9, 0.6, 0.3], [0.6, 0.1], [0.6, 2]));
    assert.deepEqual(atThresholds[0], {
      recall: 2 / 3,
      falseAlarmRate: 0.5,
      balancedAccuracy: (2 / 3 + 0.5) / 2,
    });
    assert.deepEqual(atThresholds[1], { recall: 0, falseAlarmRate: 0, balancedAccuracy: 0.5 });
  });

  it('count a weighted image as if its score were repeated', () => {
    const weighted = measure(sampleOf([0.9, 0.4], [0.5, 0.1], [0.45]), Float64Array.from([2, 1, 3, 0]));
    const repeated = measure(sampleOf([0.9, 0.9, 0.4], [0.5, 0.5, 0.5], [0.45]));
    assert.deepEqual(weighted, repeated);
  });

  it('include the ROC curve through each distinct score', () => {
    assert.deepEqual(rocCurve(sampleOf([0.9, 0.5], [0.5, 0.1])), [
      [0, 0],
      [0, 0.5],
      [0.5, 1],
      [1, 1],
    ]);
  });
});

describe('the bootstrap confidence interval of a measure', () => {
  it('is reproducible, contains the value, and is wider for fewer sources', () => {
    const scores = (count: number, shift: number) =>
      Array.from({ length: count }, (_, at) => ((at * 0.618) % 1) + shift);
    const intervalOf = (count: number) => {
      const sample = sampleOf(scores(count, 0.3), scores(count, 0));
      const units = {
        ai: Array.from({ length: count }, (_, at) => at),
        genuine: Array.from({ length: count }, (_, at) => count + at),
      };
      return resample(sample, units)(({ auc }) => auc);
    };
    const few = intervalOf(20);
    const many = intervalOf(200);
    assert.deepEqual(intervalOf(20), few);
    for (const { value, low, high } of [few, many]) assert.ok(low! < value! && value! < high!);
    assert.ok(few.high! - few.low! > 2 * (many.high! - many.low!));
  });

  it('resamples whole sources, so that equal scores from one source do not narrow the interval', () => {
    const rows = [0, 1, 2, 3].flatMap((unit) =>
      Array.from({ length: 50 }, () => ({ score: unit === 0 ? 0.2 : 0.9, isAi: true, unit, fired: [] })),
    );
    const genuine = Array.from({ length: 50 }, (_, at) => ({
      score: 0.5,
      isAi: false,
      unit: 4 + at,
      fired: [],
    }));
    const units = { ai: [0, 1, 2, 3], genuine: genuine.map(({ unit }) => unit) };
    const { value, low, high } = resample(createSample([...rows, ...genuine]), units)(({ auc }) => auc);
    assert.deepEqual([value, high], [0.75, 1]);
    assert.ok(low! <= 0.5);
  });

  it('is null if the data set lacks AI images or genuine images', () => {
    const estimate = resample(sampleOf([0.5], []), { ai: [0], genuine: [] })(({ auc }) => auc);
    assert.deepEqual(estimate, { value: null, low: null, high: null });
  });
});

describe('the evaluation report', () => {
  const bands = {
    version: '1',
    model: 'telltale-1.0.0',
    profiles: { strict: PROFILE_BANDS, balanced: PROFILE_BANDS, sensitive: PROFILE_BANDS },
  };
  const scored = [0.1, 0.2, 0.85, 0.3, 0.89, 0.95, 0.7, 0.99].map((fullImage, at): ScoredImage => {
    const isAi = at >= 4;
    const source = `${isAi ? 'gen' : 'camera'}<${at % 2}>`;
    const image = {
      path: `/p,${at}.jpg`,
      isAi,
      source,
      group: source,
      kind: isAi ? '' : 'photo',
      content: '',
    };
    return {
      image,
      tier: 'clean',
      fullImage,
      drawn: at === 4 ? 1 : 0,
      face: at % 4 === 0 ? fullImage : null,
    };
  });
  const failed = [{ image: scored[0]!.image, code: 'image_corrupt', message: 'it ends early' }];
  const report = assembleReport({ scored, failed }, bands, ['clean']);

  const strictOf = (tier: (typeof report.tiers)[number] | undefined) => tier?.profiles[0];

  it('counts images, sources, missing scores and flagged images', () => {
    const [whole, face] = report.tiers;
    assert.ok(whole && face);
    assert.deepEqual(
      [whole.pictures, whole.sources, whole.without_score],
      [{ real: 4, ai: 4 }, { real: 2, ai: 2 }, 0],
    );
    assert.deepEqual([face.pictures, face.without_score], [{ real: 1, ai: 1 }, 6]);
    assert.deepEqual(whole.resampled, { real: 'source', ai: 'source' });
    assert.deepEqual(face.resampled, { real: 'picture', ai: 'picture' });
    assert.equal(whole.auc.value, 15 / 16);
    const strict = strictOf(whole);
    assert.deepEqual([strict?.recall.value, strict?.false_alarm_rate.value], [0.5, 0.25]);
    assert.deepEqual(
      whole.groups.map(({ label, group, pictures, fired }) => [label, group, pictures, fired.balanced]),
      [
        ['ai', 'gen<0>', 2, 0],
        ['ai', 'gen<1>', 2, 1],
        ['real', 'camera<0>', 2, 0.5],
        ['real', 'camera<1>', 2, 0],
      ],
    );
    assert.deepEqual(
      whole.kinds.map(({ group, pictures }) => [group, pictures]),
      [['photo', 4]],
    );
  });

  it('compares each image with the threshold for its kind, and separates photographs from drawings', () => {
    const [whole, face] = report.tiers;
    assert.deepEqual(strictOf(whole)?.threshold, { photographed: 0.8, drawn: 0.9 });
    assert.equal(strictOf(face)?.threshold, 0.6);
    // The drawing with a score of 0.89 is not flagged, although the photograph with 0.85 is.
    assert.deepEqual(
      whole?.looks.map(({ label, group, pictures, fired }) => [label, group, pictures, fired.strict]),
      [
        ['ai', 'drawn', 1, 0],
        ['ai', 'photographed', 3, 2 / 3],
        ['real', 'photographed', 4, 0.25],
      ],
    );
    assert.deepEqual(face?.looks, []);
  });

  it('includes the combined verdict of both detectors', () => {
    const [verdict] = report.verdicts;
    assert.deepEqual([verdict?.tier, verdict?.pictures], ['clean', { real: 4, ai: 4 }]);
    // The drawing with a score of 0.89 is flagged because of its face.
    const [strict] = verdict?.profiles ?? [];
    assert.deepEqual([strict?.recall.value, strict?.false_alarm_rate.value], [0.75, 0.25]);
  });

  it('computes the confidence interval from the number of images if an error rate is zero', () => {
    const rate = strictOf(report.tiers[1])?.false_alarm_rate;
    assert.deepEqual([rate?.value, rate?.low], [0, 0]);
    assert.ok(Math.abs((rate?.high ?? 0) - 0.975) < 1e-3, String(rate?.high));
  });

  it('gives an interval with a width to a rate that does not vary between the drawn sources', () => {
    // Each source of either class has one flagged image and one that is not flagged.
    const alike = scored.map((row, at) => ({
      ...row,
      drawn: 0,
      face: null,
      fullImage: at % 4 < 2 ? 0.1 : 0.9,
    }));
    const [verdict] = assembleReport({ scored: alike, failed: [] }, bands, ['clean']).verdicts;
    const [strict] = verdict?.profiles ?? [];
    for (const rate of [strict?.recall, strict?.false_alarm_rate, strict?.balanced_accuracy])
      assert.ok(rate?.value === 0.5 && rate.low! < 0.2 && rate.high! > 0.8, JSON.stringify(rate));
  });

  it('gives no interval to an AUC that does not vary, and a wide one to its balanced accuracy', () => {
    const told = scored.map((row, at) => ({ ...row, drawn: 0, fullImage: at < 4 ? 0.1 : 0.9 }));
    const { tiers } = assembleReport({ scored: told, failed: [] }, bands, ['clean']);
    assert.deepEqual(tiers[0]?.auc, { value: 1, low: null, high: null });
    const accuracy = strictOf(tiers[0])?.balanced_accuracy;
    assert.deepEqual([accuracy?.value, accuracy?.high], [1, 1]);
    assert.ok(accuracy!.low! < 0.5, JSON.stringify(accuracy));
  });

  it('is printed as text that names groups, degradation levels and failures', () => {
    const text = formatReport(report).join('\n');
    for (const part of [
      'full_image_specialist',
      'gen<1>',
      'AUC',
      '0.937 [',
      '0.8000, illustrations 0.9000',
      'photographed',
      'image_corrupt: it ends early',
      'without the limits',
      'verdict: AI if either detector flags the image',
      'because the set has only 4 genuine images',
    ]) {
      assert.ok(text.includes(part), `${part} in\n${text}`);
    }
  });

  it('is plotted as well-formed SVG', () => {
    const rows = selectRows(scored, 'full_image_specialist', 'clean');
    const marks = [{ name: 'balanced', threshold: 0.8 }];
    for (const svg of [plotRoc('a < b & "c"', [rows]), plotHistograms('title', rows, marks)]) {
      assert.match(svg, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"[^>]*>\n/);
      assert.ok(svg.endsWith('</svg>\n'));
      assert.doesNotMatch(svg, /NaN|Infinity|undefined/);
      assert.doesNotMatch(svg.replace(/&(amp|lt|gt|quot);/g, ''), /&|<(?![/a-z])/);
    }
    assert.match(plotRoc('t', [rows]), /clean: AUC 0\.938/);
  });

  it('writes every score to a CSV file that can be read back', () => {
    const tiers = [selectRows(scored, 'face_specialist', 'clean')];
    const rows: Record<string, string>[] = parse(formatScores(tiers), { columns: true });
    assert.deepEqual(rows, [
      {
        picture: '/p,0.jpg',
        label: 'real',
        source: 'camera<0>',
        generator: 'none',
        kind: 'photo',
        content: '',
        tier: 'clean',
        score: '0.1',
        drawn: '0',
      },
      {
        picture: '/p,4.jpg',
        label: 'ai',
        source: 'gen<0>',
        generator: 'gen<0>',
        kind: '',
        content: '',
        tier: 'clean',
        score: '0.89',
        drawn: '1',
      },
    ]);
  });
});
