// Exact binomial confidence intervals of rates. Source: Clopper and Pearson, 1934.

/** A share of images with its 95% confidence interval, 0..1 each. */
export interface Share {
  readonly counted: number;
  readonly pictures: number;
  readonly rate: number;
  readonly low: number;
  readonly high: number;
}

/** Probability on each side outside the 95% interval. */
const TAIL = 0.025;
/** Number of times that the interval [0, 1] is halved: more than the printed digits need. */
const STEPS = 50;

/** Returns `counted` / `pictures` with its 95% confidence interval. NaN if `pictures` is 0. */
export function shareOf(counted: number, pictures: number): Share {
  const low = counted === 0 ? 0 : solve((rate) => 1 - chanceOfAtMost(counted - 1, pictures, rate) > TAIL);
  const high = counted === pictures ? 1 : solve((rate) => chanceOfAtMost(counted, pictures, rate) < TAIL);
  return { counted, pictures, rate: counted / pictures, low, high };
}

/** Returns the probability of at most `most` successes in `trials`, each with probability `rate`. */
function chanceOfAtMost(most: number, trials: number, rate: number): number {
  let logTerm = trials * Math.log1p(-rate);
  let sum = Math.exp(logTerm);
  for (let successes = 1; successes <= most; successes += 1) {
    logTerm += Math.log((trials - successes + 1) / successes) + Math.log(rate) - Math.log1p(-rate);
    sum += Math.exp(logTerm);
  }
  return Math.min(1, sum);
}

/** Returns the lowest rate at which `holds` is true. Requires that `holds` is true for all higher rates. */
function solve(holds: (rate: number) => boolean): number {
  let [low, high] = [0, 1];
  for (let step = 0; step < STEPS; step += 1) {
    const middle = (low + high) / 2;
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return (low + high) / 2;
}
