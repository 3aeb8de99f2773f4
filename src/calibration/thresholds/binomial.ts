// Exact binomial confidence intervals. Source: Clopper and Pearson, 1934.

/** A share with its 95% interval, 0..1 each. */
export interface Share {
  readonly counted: number;
  readonly pictures: number;
  readonly rate: number;
  readonly low: number;
  readonly high: number;
}

/** Probability outside the interval on each side. */
const TAIL = 0.025;
/** Number of bisections of [0, 1]: more than the printed digits need. */
const STEPS = 50;

/** Returns the share of `counted` in `pictures` with its 95% interval. Without images the rate is NaN. */
export function shareOf(counted: number, pictures: number): Share {
  const low = counted === 0 ? 0 : solve((rate) => 1 - chanceOfAtMost(counted - 1, pictures, rate) > TAIL);
  const high = counted === pictures ? 1 : solve((rate) => chanceOfAtMost(counted, pictures, rate) < TAIL);
  return { counted, pictures, rate: counted / pictures, low, high };
}

/** Returns the probability of at most `most` successes in `trials` with probability `rate` each. */
function chanceOfAtMost(most: number, trials: number, rate: number): number {
  let logTerm = trials * Math.log1p(-rate);
  let sum = Math.exp(logTerm);
  for (let successes = 1; successes <= most; successes += 1) {
    logTerm += Math.log((trials - successes + 1) / successes) + Math.log(rate) - Math.log1p(-rate);
    sum += Math.exp(logTerm);
  }
  return Math.min(1, sum);
}

/** Returns the lowest rate for which `holds` is true. Requires that `holds` stays true above it. */
function solve(holds: (rate: number) => boolean): number {
  let [low, high] = [0, 1];
  for (let step = 0; step < STEPS; step += 1) {
    const middle = (low + high) / 2;
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return (low + high) / 2;
}
