// A regularised logistic regression that starts from the score known already: the offset of each row.
import { CholeskyDecomposition, Matrix } from 'ml-matrix';

/** What a regression learns from. */
export interface LogisticRows {
  /** Row by row. */
  readonly features: readonly Float64Array[];
  /** Log odds that each row has without the regression. */
  readonly offsets: Float64Array;
  /** 0..1: a row may be known in part only. */
  readonly labels: Float64Array;
}

const MOST_STEPS = 50;
/** Of a step, below which it has come to rest. */
const REST = 1e-6;
/** Log odds by which a step may move a row at most: Newton's way overshoots where rows are far from their labels. */
const MOST_MOVE = 4;

/**
 * Weights w that minimise the log loss of sigmoid(offset + w·features) plus strength/2·|w|², by Newton's steps from `start`.
 * There is no constant: what would move all rows alike is the thresholds' matter.
 */
export function fitLogistic(rows: LogisticRows, strength: number, start?: Float64Array): Float64Array {
  const size = rows.features[0]?.length ?? 0;
  const weights = start === undefined ? new Float64Array(size) : Float64Array.from(start);
  let curvature: CholeskyDecomposition | null = null;
  let former = Infinity;
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const { gradient, curves } = derive(rows, weights, strength);
    curvature ??= new CholeskyDecomposition(sumCurvature(rows, curves, strength));
    const move = curvature.solve(Matrix.columnVector(gradient)).to1DArray();
    const furthest = rows.features.reduce((most, row) => Math.max(most, Math.abs(dot(row, move))), 0);
    const share = Math.min(1, MOST_MOVE / furthest);
    for (let at = 0; at < size; at += 1) weights[at] = (weights[at] ?? 0) - share * (move[at] ?? 0);
    const length = Math.max(...move.map(Math.abs));
    if (length < REST) break;
    // Most of the work, so it is kept while steps at least halve by it.
    if (share < 1 || length > former / 2) curvature = null;
    former = length;
  }
  return weights;
}

/** The sum of products. */
export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

/** The gradient, and of each row what it adds to the curvature along its features. */
function derive(
  { features, offsets, labels }: LogisticRows,
  weights: Float64Array,
  strength: number,
): { gradient: Float64Array; curves: Float64Array } {
  const gradient = Float64Array.from(weights, (weight) => strength * weight);
  const curves = Float64Array.from(features, (row, index) => {
    const chance = 1 / (1 + Math.exp(-(offsets[index] as number) - dot(row, weights)));
    const slope = chance - (labels[index] as number);
    for (let i = 0; i < gradient.length; i += 1)
      gradient[i] = (gradient[i] as number) + slope * (row[i] as number);
    return chance * (1 - chance);
  });
  return { gradient, curves };
}

/** The Hessian. */
function sumCurvature({ features }: LogisticRows, curves: Float64Array, strength: number): Matrix {
  const size = features[0]?.length ?? 0;
  const sums = Array.from({ length: size }, () => new Float64Array(size));
  features.forEach((row, index) => {
    for (let i = 0; i < size; i += 1) {
      const scaled = (curves[index] as number) * (row[i] as number);
      const sum = sums[i] as Float64Array;
      for (let j = 0; j <= i; j += 1) sum[j] = (sum[j] as number) + scaled * (row[j] as number);
    }
  });
  const hessian = new Matrix(size, size);
  sums.forEach((sum, i) => {
    for (let j = 0; j <= i; j += 1) {
      const value = (sum[j] as number) + (i === j ? strength : 0);
      hessian.set(i, j, value);
      hessian.set(j, i, value);
    }
  });
  return hessian;
}
