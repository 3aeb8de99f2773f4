// Confidence intervals by the bootstrap over whole sources: pictures of one source are alike and tell little anew.
import { measure, type Measures, type Sample } from './measures.js';

/** A measured value with its 95% interval; nulls if it can't be had. */
export interface Estimate {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/** The two classes' units, which are drawn apart so that each class keeps its size. */
export interface Units {
  readonly ai: readonly number[];
  readonly genuine: readonly number[];
}

/** Drawings. Chosen: percentiles then move by less than the last digit shown. */
const ROUNDS = 1000;

/** Chosen: any number, always the same, so that a report can be made again. */
const SEED = 20_261_121;

/** Measures of the sample and of `ROUNDS` resamplings of its units with replacement. */
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

/** Picks one number of the measures. */
export type Reader = (measures: Measures) => number;

function quantile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? null;
}

function finite(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

/** A generator of numbers in 0..1. Source: Marsaglia, Xorshift RNGs, 2003 (the 32-bit one); ample for drawing sources. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
