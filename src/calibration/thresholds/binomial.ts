// How sure a counted share is: the exact binomial interval (Clopper and Pearson, 1934).

/** A share with the interval that holds it in 95 of 100 samples. All 0..1. */
export interface Share {
  readonly counted: number;
  readonly pictures: number;
  readonly rate: number;
  readonly low: number;
  readonly high: number;
}

/** Of either side. */
const TAIL = 0.025;
/** Halvings of [0, 1]: far beyond the digits that are printed. */
const STEPS = 50;

/** `counted` of `pictures` with its 95% interval; of no images nothing is known, and the rate is NaN. */
export function shareOf(counted: number, pictures: number): Share {
  const low = counted === 0 ? 0 : solve((rate) => 1 - chanceOfAtMost(counted - 1, pictures, rate) > TAIL);
  const high = counted === pictures ? 1 : solve((rate) => chanceOfAtMost(counted, pictures, rate) < TAIL);
  return { counted, pictures, rate: counted / pictures, low, high };
}

/** The probability that at most `most` of `trials` succeed which do so with probability `rate` each. */
function chanceOfAtMost(most: number, trials: number, rate: number): number {
  let logTerm = trials * Math.log1p(-rate);
  let sum = Math.exp(logTerm);
  for (let successes = 1; successes <= most; successes += 1) {
    logTerm += Math.log((trials - successes + 1) / successes) + Math.log(rate) - Math.log1p(-rate);
    sum += Math.exp(logTerm);
  }
  return Math.min(1, sum);
}

/** The least rate from which on `holds`, which does so from somewhere on. */
function solve(holds: (rate: number) => boolean): number {
  let [low, high] = [0, 1];
  for (let step = 0; step < STEPS; step += 1) {
    const middle = (low + high) / 2;
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return (low + high) / 2;
}
