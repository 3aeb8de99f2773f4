// Exact binomial confidence intervals of rates. Source: Clopper and Pearson, 1934.

/** A share of images with its 95% confidence interval, 0..1 each. */
export interface Share {
  readonly count: number;
  readonly images: number;
  readonly rate: number;
  readonly low: number;
  readonly high: number;
}

/** Probability on each side outside the 95% interval. */
const TAIL = 0.025;
/** Number of times that the interval [0, 1] is halved: more than the printed digits need. */
const STEPS = 50;

/** Returns `count` / `images` with its 95% confidence interval. NaN if `images` is 0. */
export function shareOf(count: number, images: number): Share {
  const low = count === 0 ? 0 : solve((rate) => 1 - chanceOfAtMost(count - 1, images, rate) > TAIL);
  const high = count === images ? 1 : solve((rate) => chanceOfAtMost(count, images, rate) < TAIL);
  return { count, images, rate: count / images, low, high };
}

/** Returns the probability of at most `maximum` successes in `trials`, each with probability `rate`. */
function chanceOfAtMost(maximum: number, trials: number, rate: number): number {
  let logTerm = trials * Math.log1p(-rate);
  let sum = Math.exp(logTerm);
  for (let successes = 1; successes <= maximum; successes += 1) {
    logTerm += Math.log((trials - successes + 1) / successes) + Math.log(rate) - Math.log1p(-rate);
    sum += Math.exp(logTerm);
  }
  return Math.min(1, sum);
}

/** Returns the lowest rate at which `isTrueAt` returns true. Requires that `isTrueAt` returns true for all higher rates. */
function solve(isTrueAt: (rate: number) => boolean): number {
  let [low, high] = [0, 1];
  for (let step = 0; step < STEPS; step += 1) {
    const middle = (low + high) / 2;
    if (isTrueAt(middle)) high = middle;
    else low = middle;
  }
  return (low + high) / 2;
}
