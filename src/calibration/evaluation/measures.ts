// Measures how well a detector's scores separate AI from genuine images. Confidence intervals come from a bootstrap,
// which repeats the measurement on random selections of whole sources.

/** False-positive rates at which recall is reported. */
const TARGET_FPRS = [0.01, 0.05] as const;

/** Scores of images with their labels. Sorted once, so that each resampling of the bootstrap needs one pass. */
export interface Sample {
  /** Scores, highest first. */
  readonly scores: Float64Array;
  /** Labels: 1 for AI, 0 for genuine. */
  readonly labels: Uint8Array;
  /** For each score, the index of its unit: a group of images that the bootstrap selects together. */
  readonly units: Uint32Array;
  /** For each set of thresholds: 1 if the score reaches its threshold, otherwise 0. */
  readonly fired: readonly Uint8Array[];
}

/** Rates at one set of thresholds, 0..1 each; NaN without images of the class. */
interface ThresholdRates {
  readonly recall: number;
  readonly falseAlarmRate: number;
  /** Mean of recall and specificity (1 - FPR). */
  readonly balancedAccuracy: number;
}

/** All measures of a sample. */
interface Measures {
  /** Area under the ROC curve, equal scores counting half; NaN without images of a class. */
  readonly auc: number;
  /** Highest recall that any threshold reaches on this sample at each of TARGET_FPRS. */
  readonly recallAt: readonly number[];
  /** Rates for each set of thresholds, in the order of the sample. */
  readonly atThresholds: readonly ThresholdRates[];
}

/** Score of one image, and for each set of thresholds whether the score reaches it. */
interface SampleRow {
  readonly score: number;
  readonly isAi: boolean;
  readonly unit: number;
  readonly fired: readonly boolean[];
}

/** Sorts the rows by score and packs them into arrays. */
export function createSample(rows: readonly SampleRow[]): Sample {
  const sorted = [...rows].sort((a, b) => b.score - a.score);
  return {
    scores: Float64Array.from(sorted, ({ score }) => score),
    labels: Uint8Array.from(sorted, ({ isAi }) => (isAi ? 1 : 0)),
    units: Uint32Array.from(sorted, ({ unit }) => unit),
    fired: (sorted[0]?.fired ?? []).map((_, set) =>
      Uint8Array.from(sorted, ({ fired }) => (fired[set] ? 1 : 0)),
    ),
  };
}

/** Measures a sample. With `weights`, each image counts as often as its unit's weight says. */
export function measure({ scores, labels, units, fired }: Sample, weights?: Float64Array): Measures {
  const weightAt = (at: number): number => (weights ? (weights[units[at] ?? 0] ?? 0) : 1);
  let positives = 0;
  let negatives = 0;
  for (let at = 0; at < scores.length; at += 1) {
    if (labels[at] === 1) positives += weightAt(at);
    else negatives += weightAt(at);
  }
  const recallAt = TARGET_FPRS.map(() => 0);
  const counts = fired.map(() => ({ ai: 0, genuine: 0 }));
  let [ai, genuine, area] = [0, 0, 0];
  for (let at = 0; at < scores.length;) {
    const score = scores[at] ?? 0;
    const genuineBefore = genuine;
    const aiBefore = ai;
    for (; at < scores.length && scores[at] === score; at += 1) {
      const weight = weightAt(at);
      if (labels[at] === 1) ai += weight;
      else genuine += weight;
      for (const [set, count] of counts.entries())
        if (fired[set]?.[at] === 1) count[labels[at] === 1 ? 'ai' : 'genuine'] += weight;
    }
    area += ((genuine - genuineBefore) * (ai + aiBefore)) / 2;
    TARGET_FPRS.forEach((rate, index) => {
      if (genuine <= rate * negatives) recallAt[index] = ai / positives;
    });
  }
  return {
    auc: area / (positives * negatives),
    recallAt: recallAt.map((recall) => (positives > 0 && negatives > 0 ? recall : NaN)),
    atThresholds: counts.map((count) => {
      const recall = count.ai / positives;
      const falseAlarmRate = count.genuine / negatives;
      return { recall, falseAlarmRate, balancedAccuracy: (recall + 1 - falseAlarmRate) / 2 };
    }),
  };
}

/** Returns points (FPR, recall) of the ROC curve from (0, 0) to (1, 1), one per distinct score. */
export function rocCurve({ scores, labels }: Sample): [falseAlarmRate: number, recall: number][] {
  const positives = labels.reduce((sum, label) => sum + label, 0);
  const negatives = labels.length - positives;
  const points: [number, number][] = [[0, 0]];
  let [ai, genuine] = [0, 0];
  labels.forEach((label, at) => {
    if (label === 1) ai += 1;
    else genuine += 1;
    if (scores[at] !== scores[at + 1]) points.push([genuine / negatives, ai / positives]);
  });
  return points;
}

/** Measured value with its 95% interval; null if it can't be measured. */
export interface Estimate {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/** Units of each class. The bootstrap selects from both classes separately, so that each class keeps its size. */
export interface Units {
  readonly ai: readonly number[];
  readonly genuine: readonly number[];
}

/** Number of resamplings. More would change results by less than the last digit shown. */
const ROUNDS = 1000;

/** Seed of the random numbers. Constant, so that a report can be reproduced. */
const SEED = 20_261_121;

/**
 * Measures the sample, and `ROUNDS` samples of the same size whose units are drawn at random with replacement. Returns
 * a function that estimates one of the measures.
 */
export function resample(sample: Sample, units: Units): (read: Reader) => Estimate {
  const whole = measure(sample);
  const random = createRandom(SEED);
  const weights = new Float64Array(Math.max(-1, ...units.ai, ...units.genuine) + 1);
  const drawings = Array.from({ length: ROUNDS }, () => {
    weights.fill(0);
    for (const members of [units.ai, units.genuine]) {
      for (let count = 0; count < members.length; count += 1) {
        const unit = members[Math.floor(random() * members.length)] ?? 0;
        weights[unit] = (weights[unit] ?? 0) + 1;
      }
    }
    return measure(sample, weights);
  });
  return (read) => {
    const values = drawings
      .map(read)
      .filter((value) => !Number.isNaN(value))
      .sort((a, b) => a - b);
    return { value: finite(read(whole)), low: quantile(values, 0.025), high: quantile(values, 0.975) };
  };
}

/** Function that selects one number from the measures. */
export type Reader = (measures: Measures) => number;

function quantile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? null;
}

function finite(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

/** Creates a generator of random numbers in 0..1. Source: Marsaglia, Xorshift RNGs, 2003 (the 32-bit one). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
