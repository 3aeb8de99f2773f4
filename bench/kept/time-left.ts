// How long a run will still take, by what groups took in the results that ship.
import { FULL } from '../durations.js';
import type { BenchOptions, Group } from '../options.js';
import type { KeptResults, KeptRow } from './results.js';

/** Seconds that each of `groups` is expected to take; null where no kept run had it. `kept` newest first. */
export function expectSeconds(
  { groups, pictures }: Pick<BenchOptions, 'groups' | 'pictures'>,
  kept: readonly KeptResults[],
): Map<Group, number | null> {
  const wanted = { memory: pictures ?? FULL.memoryChecks, scan: pictures ?? FULL.scanPictures };
  return new Map(
    groups.map((group) => {
      for (const { rows, conditions } of kept) {
        const measured = rows.filter((row) => row.group === group && row.skipped === null);
        if (measured.length === 0 || conditions.isQuick || conditions.preloaded.length > 0) continue;
        const seconds = measured.map((row) =>
          group === 'memory' || group === 'scan'
            ? row.seconds * timesLonger(row, wanted[group])
            : row.seconds,
        );
        return [group, seconds.reduce((sum, value) => sum + value, 0)];
      }
      return [group, null];
    }),
  );
}

/** A trial of so many pictures takes longer with more of them. */
function timesLonger({ settings }: KeptRow, wanted: number): number {
  const { pictures, checks } = (settings ?? {}) as { readonly pictures?: number; readonly checks?: number };
  const had = pictures ?? checks;
  return had === undefined ? 1 : wanted / had;
}

/**
 * A line on the groups that are left, such as `about 12 min left: engine 4, scan 8`; null if nothing is known of any. What
 * the groups before took (`seconds` by group) against what was expected of them tells how fast this machine is.
 */
export function describeTimeLeft(
  expected: ReadonlyMap<Group, number | null>,
  seconds: ReadonlyMap<Group, number>,
): string | null {
  const done = [...seconds].flatMap(([group, took]) => {
    const guess = expected.get(group) ?? null;
    return guess === null ? [] : [{ took, guess }];
  });
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const pace =
    done.length === 0 ? 1 : sum(done.map(({ took }) => took)) / sum(done.map(({ guess }) => guess));
  const left = [...expected].filter(([group]) => !seconds.has(group));
  const known = left.flatMap(([, guess]) => (guess === null ? [] : [guess * pace]));
  if (known.length === 0) return null;
  const parts = left.map(
    ([group, guess]) => `${group} ${guess === null ? 'not known' : minutes(guess * pace)}`,
  );
  return `about ${minutes(sum(known))} min left: ${parts.join(', ')}`;
}

const minutes = (seconds: number): string => (seconds < 60 ? '1' : (seconds / 60).toFixed(0));
