// The two thresholds of the full image, fitted together: each holds its rate for the pictures that look so.
import { mediumOf } from '../../check/thresholds/picture-bands.js';
import { MEDIUM_NAMES, type Medium } from '../../check/types.js';

/** One genuine picture as it scored. */
export interface GenuineRow {
  /** Log odds of its score. */
  readonly odds: number;
  /** Probability that it is drawn, 0..1 on four decimals. */
  readonly drawn: number;
  /** What it weighs among those of its medium; more than 0. */
  readonly weight: number;
  /** The kind that must hold by itself; empty: none. */
  readonly group: string;
  /** Rows of one picture, delivered in several ways, share a number. */
  readonly picture: number;
}

/** What the fit holds. */
export interface FitRule {
  /** Share of the weight of a medium that may fire. */
  readonly rate: number;
  /** Times the rate that the pictures of one group may fire; one picture of a small one may. */
  readonly worstGroup: number;
  /** Log odds of thresholds that stay as they are. */
  readonly fixed?: Partial<Readonly<Record<Medium, number>>>;
}

/** In which the fit must come to rest. */
const ROUNDS = 200;
/** Log odds beyond which no threshold lies. */
const MOST_ODDS = 20;
/** Log odds by which a threshold lies over the score that may not fire. */
const ABOVE = 1e-9;

/** A fitted threshold as bands hold it: on four decimals, rounded up, which never adds a false alarm. */
export function thresholdAt(odds: number): number {
  return Math.min(1, Math.ceil(10_000 / (1 + Math.exp(-odds))) / 10_000);
}

/**
 * Log odds of the threshold of each medium, not rounded. They are the lowest that let no more fire than `rule` says,
 * each with the other as it stands. A medium without rows has the other's, or the one that is fixed. Source:
 * `models/training/measure/medium_thresholds.py`, which fits what ships.
 */
export function fitByMedium(rows: readonly GenuineRow[], rule: FitRule): Readonly<Record<Medium, number>> {
  const sides = new Map<Medium, Side>();
  for (const medium of MEDIUM_NAMES) {
    const mine = rows.filter(({ drawn }) => mediumOf(drawn) === medium);
    if (mine.length > 0 && rule.fixed?.[medium] === undefined)
      sides.set(medium, makeSide(mine, rows, medium, rule));
  }
  const odds: Partial<Record<Medium, number>> = { ...rule.fixed };
  for (const [medium, side] of sides)
    odds[medium] = thresholdOf(
      side,
      side.rows.map((row) => row.odds),
      rule.rate,
    );
  const known = (medium: Medium): number =>
    odds[medium] ?? odds[medium === 'drawn' ? 'photographed' : 'drawn'] ?? MOST_ODDS;
  const found = { photographed: known('photographed'), drawn: known('drawn') };
  for (let round = 0; round < ROUNDS; round += 1) {
    let moved = 0;
    for (const [medium, side] of sides) {
      const other = found[medium === 'drawn' ? 'photographed' : 'drawn'];
      // What the threshold of this medium may be at most for a row to fire, with the other's as it is.
      const reached = side.rows.map((row) => {
        const own = medium === 'drawn' ? row.drawn : 1 - row.drawn;
        return (row.odds - (1 - own) * other) / own;
      });
      const next = thresholdOf(side, reached, rule.rate);
      moved = Math.max(moved, Math.abs(next - found[medium]));
      found[medium] = next;
    }
    if (moved < 1e-12) break;
  }
  return found;
}

/** The rows of a medium, and the groups that must hold by themselves in it. */
interface Side {
  readonly rows: readonly GenuineRow[];
  readonly totalWeight: number;
  readonly groups: readonly { readonly at: readonly number[]; readonly allowed: number }[];
}

/** A group holds by itself in the medium that most of its rows have: few strays set no threshold of the other. */
function makeSide(
  mine: readonly GenuineRow[],
  all: readonly GenuineRow[],
  medium: Medium,
  rule: FitRule,
): Side {
  const names = new Set(mine.map(({ group }) => group).filter((group) => group !== ''));
  const groups = [...names].flatMap((name) => {
    const of = all.filter(({ group }) => group === name);
    const drawn = of.filter((row) => mediumOf(row.drawn) === 'drawn').length;
    if ((drawn >= of.length / 2 ? 'drawn' : 'photographed') !== medium) return [];
    const at = mine.flatMap(({ group }, index) => (group === name ? [index] : []));
    const pictures = new Set(at.map((index) => mine[index]?.picture)).size;
    return [{ at, allowed: Math.max(Math.floor(rule.worstGroup * rule.rate * pictures), 1) }];
  });
  return { rows: mine, totalWeight: mine.reduce((sum, { weight }) => sum + weight, 0), groups };
}

/** The lowest threshold of `values`, one a row, that holds the rate over all rows and what each group may. */
function thresholdOf(side: Side, values: readonly number[], rate: number): number {
  const of = side.groups.map(({ at, allowed }) => {
    const highest = new Map<number, number>();
    for (const index of at) {
      const { picture } = side.rows[index] as GenuineRow;
      highest.set(picture, Math.max(highest.get(picture) ?? -Infinity, values[index] ?? -Infinity));
    }
    const sorted = [...highest.values()].sort((a, b) => b - a);
    return (sorted[allowed] ?? -Infinity) + ABOVE;
  });
  const found = Math.max(weighing(side, values, rate), ...of);
  return Math.min(MOST_ODDS, Math.max(-MOST_ODDS, found));
}

/** The lowest threshold at which values of at most `rate` of all weight fire. */
function weighing({ rows, totalWeight }: Side, values: readonly number[], rate: number): number {
  const order = values.map((_, index) => index).sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0));
  let sum = 0;
  for (const index of order) {
    sum += rows[index]?.weight ?? 0;
    if (sum > rate * totalWeight + 1e-12) return (values[index] ?? 0) + ABOVE;
  }
  return -Infinity;
}
