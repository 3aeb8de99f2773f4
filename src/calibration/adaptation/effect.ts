// What a correction does, counted on pictures that it did not learn from, and whether that is enough to ship it.
import { logOdds } from '../../base/log-odds.js';
import { roundDown, roundUp } from '../../base/rates.js';
import { mediumOf } from '../../check/thresholds/picture-bands.js';
import type { Band, Bands, Medium, ProfileBands, ProfileName } from '../../check/types.js';
import { shareOf, type Share } from './binomial.js';
import { RATE_DECIMALS } from './calibrate.js';
import { MOST_FORGOTTEN, reaches, thresholdsOf, type Learned, type OwnPicture } from './learn.js';
import type { Reference, ReferenceRow } from './reference.js';

/** Pictures of one class or kind, before and after. */
export interface Change {
  readonly name: string;
  /** Those that fire. */
  readonly before: Share;
  readonly after: Share;
  /** Pictures that fire now and did not, and the other way round. */
  readonly gained: number;
  readonly lost: number;
}

/** Everything that is counted at the operator's profile. */
export interface Effect {
  readonly profile: ProfileName;
  /** The operator's own AI and genuine pictures, each judged by a correction that was learned without it. */
  readonly ai: Change;
  readonly genuine: Change;
  /** Rows of the reference likewise: AI ones together, genuine ones by kind. */
  readonly kept: Change;
  readonly kinds: readonly Change[];
}

/** A row with its log odds before and after. */
interface Judged {
  readonly before: number;
  readonly after: number;
  readonly drawn: number;
}

/** Counts at `profile`; pure. */
export function countEffect(
  own: readonly OwnPicture[],
  { reference, shipped, profile }: { reference: Reference; shipped: Bands; profile: ProfileName },
  learned: Learned,
): Effect {
  const before = thresholdsOf(shipped)[profile];
  const after = learned.thresholds[profile];
  const change = (name: string, rows: readonly Judged[]): Change => {
    const was = rows.map((row) => reaches(row.before, row.drawn, before));
    const is = rows.map((row) => reaches(row.after, row.drawn, after));
    const count = (fired: readonly boolean[]): number => fired.filter(Boolean).length;
    return {
      name,
      before: shareOf(count(was), rows.length),
      after: shareOf(count(is), rows.length),
      gained: is.filter((fired, at) => fired && !was[at]).length,
      lost: was.filter((fired, at) => fired && !is[at]).length,
    };
  };
  const mine = own.map(({ isAi, fullImage, drawn }, at) => ({
    isAi,
    drawn,
    before: logOdds(fullImage),
    after: learned.ownOdds[at] as number,
  }));
  const rows = reference.rows.map((row, at) => ({
    ...row,
    before: row.odds,
    after: learned.referenceOdds[at] as number,
  }));
  const groups = [...new Set(reference.rows.map(({ group }) => group))]
    .filter((group) => group !== '')
    .sort();
  return {
    profile,
    ai: change(
      'your AI pictures',
      mine.filter(({ isAi }) => isAi),
    ),
    genuine: change(
      'your genuine pictures',
      mine.filter(({ isAi }) => !isAi),
    ),
    kept: change(
      'AI pictures of the reference',
      rows.filter(({ isAi }) => isAi),
    ),
    kinds: groups.map((name) =>
      change(
        `${name}, genuine`,
        rows.filter(({ group }) => group === name),
      ),
    ),
  };
}

/**
 * Why the correction is not worth shipping; null if it is. Of pictures whose verdict changed, more than chance must be
 * better.
 */
export function findFault({ ai, genuine, kept }: Effect): string | null {
  const isSurelyMore = (better: number, worse: number): boolean =>
    better > 0 && shareOf(better, better + worse).low > 0.5;
  if (kept.before.rate - kept.after.rate > MOST_FORGOTTEN)
    return `it would forget: recall on the reference falls from ${kept.before.rate.toFixed(3)} to ${kept.after.rate.toFixed(3)}`;
  if (isSurelyMore(ai.lost, ai.gained)) return 'it finds fewer of your AI pictures';
  if (isSurelyMore(genuine.gained, genuine.lost)) return 'it fires on more of your genuine pictures';
  if (isSurelyMore(ai.gained, ai.lost) || isSurelyMore(genuine.lost, genuine.gained)) return null;
  return `the gain is not beyond chance: ${ai.gained} AI pictures found and ${ai.lost} lost, ${genuine.lost} false alarms gone and ${genuine.gained} new ones`;
}

/** Bands of the corrected model: thresholds fitted anew, rates and recall those of the reference; faces as they were. */
export function fitBands(shipped: Bands, reference: Reference, learned: Learned): Bands['profiles'] {
  const of = (profile: ProfileName): ProfileBands => {
    const thresholds = learned.thresholds[profile];
    const fires = (row: ReferenceRow, at: number): boolean =>
      reaches(learned.referenceOdds[at] as number, row.drawn, thresholds);
    const band = (medium: Medium): Band => {
      const mine = reference.rows
        .map((row, at) => ({ row, fired: fires(row, at) }))
        .filter(({ row }) => mediumOf(row.drawn) === medium);
      const weigh = (rows: typeof mine): number => rows.reduce((sum, { row }) => sum + row.weight, 0);
      const genuine = mine.filter(({ row }) => !row.isAi);
      const recall = (tier: string): number | null => {
        const ai = mine.filter(({ row }) => row.isAi && row.tier === tier);
        return ai.length === 0
          ? null
          : roundDown(ai.filter(({ fired }) => fired).length / ai.length, RATE_DECIMALS);
      };
      return {
        threshold: thresholds[medium],
        falseAlarmRate: roundUp(weigh(genuine.filter(({ fired }) => fired)) / weigh(genuine), RATE_DECIMALS),
        recall: { clean: recall('clean'), web: recall('web'), hard: recall('hard') },
      };
    };
    return {
      fullImage: { photographed: band('photographed'), drawn: band('drawn') },
      face: shipped.profiles[profile].face,
    };
  };
  return { strict: of('strict'), balanced: of('balanced'), sensitive: of('sensitive') };
}
