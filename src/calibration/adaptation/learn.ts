// Learns a correction: what moves an operator's pictures to the right side of their thresholds and leaves the reference where it is.
import { logOdds } from '../../base/log-odds.js';
import { thresholdBetween } from '../../check/thresholds/picture-bands.js';
import { MEDIUM_NAMES, PROFILE_NAMES, type Bands, type Medium, type ProfileName } from '../../check/types.js';
import { FOLDS, dealFolds } from './folds.js';
import { fitByMedium, thresholdAt, type GenuineRow } from './fit-by-medium.js';
import { dot, fitLogistic } from './logistic.js';
import type { Reference, ReferenceRow } from './reference.js';

/** One of the operator's pictures. */
export interface OwnPicture {
  readonly isAi: boolean;
  readonly source: string;
  /** 0..1, by the networks that shipped. */
  readonly fullImage: number;
  /** 0..1 on four decimals. */
  readonly drawn: number;
  readonly embedding: Float64Array;
}

/** The model's facts that learning needs beside the pictures. */
export interface LearnSetting {
  readonly reference: Reference;
  readonly shipped: Bands;
  /** The profile whose verdicts are to become better. */
  readonly profile: ProfileName;
}

/** Thresholds of the full image by profile. */
export type Thresholds = Readonly<Record<ProfileName, Readonly<Record<Medium, number>>>>;

/** A correction, and how pictures score that it did not learn from. */
export interface Learned {
  /** What a unit of each number of the embedding adds to the logit. */
  readonly correction: Float64Array;
  readonly strength: number;
  readonly thresholds: Thresholds;
  /** Log odds of the operator's pictures, each by a correction that was learned without its fold. */
  readonly ownOdds: Float64Array;
  /** The same of the reference's rows. */
  readonly referenceOdds: Float64Array;
}

/** Of the penalty on the correction's size. Below these nothing is gained; with the last a correction is small enough to keep the reference. */
export const STRENGTHS = [10, 50, 250, 1000] as const;

/** What a share of the reference's AI rows weighs beside one of the operator's pictures. Chosen: they stand for all that he has not shown. */
const FORGETTING = 3;

/** Share of the reference's AI rows that a correction may lose. */
export const MOST_FORGOTTEN = 0.02;

/** The tier whose rows hold the correction; all tiers set thresholds. One is enough: the others are the same pictures. */
const ANCHOR_TIER = 'clean';

/**
 * The correction of the strength that does best on what it did not learn from. Best is most recall gained and false
 * alarms lost on the operator's pictures, less the recall that the reference loses. One that forgets too much is taken
 * only if all do.
 */
export function learnCorrection(own: readonly OwnPicture[], setting: LearnSetting): Learned {
  const teacher = new Teacher(own, setting);
  let best: Learned | null = null;
  let most: Worth = { isKept: false, verdicts: -Infinity };
  // From the strongest down: of equals the smaller correction is taken.
  for (const strength of [...STRENGTHS].reverse()) {
    const learned = teacher.learn(strength);
    const worth = worthOf(learned, own, setting);
    const isMore = worth.isKept === most.isKept ? worth.verdicts > most.verdicts + 1e-9 : worth.isKept;
    if (isMore) [best, most] = [learned, worth];
  }
  return best as Learned;
}

/** Whether log odds reach what a picture drawn with that probability is held against. */
export function reaches(odds: number, drawn: number, thresholds: Readonly<Record<Medium, number>>): boolean {
  return odds >= logOdds(thresholdBetween(thresholds, drawn));
}

/** The thresholds of the full image that bands hold. */
export function thresholdsOf({ profiles }: Bands): Thresholds {
  const of = (profile: ProfileName): Readonly<Record<Medium, number>> => ({
    photographed: profiles[profile].fullImage.photographed.threshold,
    drawn: profiles[profile].fullImage.drawn.threshold,
  });
  return { strict: of('strict'), balanced: of('balanced'), sensitive: of('sensitive') };
}

/** Log odds of a genuine row that its face accuses: it fires at any threshold of the whole picture. */
const ACCUSED_ODDS = 19;

/**
 * Thresholds fitted to the reference's genuine rows as they score, by the rules of what ships. A profile's rate is that
 * of both detectors, so what the face accuses is spent. Source: `models/training/measure/promise.py`.
 */
export function fitThresholds(
  { rows, rates, worstGroup, faceThresholds }: Reference,
  odds: ArrayLike<number>,
): Thresholds {
  const genuineFor = (profile: ProfileName): readonly GenuineRow[] =>
    rows.flatMap((row, at) => {
      if (row.isAi) return [];
      const isAccused = row.face !== null && row.face >= faceThresholds[profile];
      return [{ ...row, odds: isAccused ? ACCUSED_ODDS : (odds[at] as number) }];
    });
  const fit = (profile: ProfileName): Record<Medium, number> => {
    const found = fitByMedium(genuineFor(profile), { rate: rates[profile], worstGroup });
    return { photographed: thresholdAt(found.photographed), drawn: thresholdAt(found.drawn) };
  };
  const fitted = { strict: fit('strict'), balanced: fit('balanced'), sensitive: fit('sensitive') };
  for (const medium of MEDIUM_NAMES) {
    let floor = 0;
    for (const profile of [...PROFILE_NAMES].reverse()) {
      floor = Math.max(floor, fitted[profile][medium]);
      fitted[profile][medium] = floor;
    }
  }
  return fitted;
}

/** What a correction is worth. */
interface Worth {
  /** Whether the reference is kept but for `MOST_FORGOTTEN`. */
  readonly isKept: boolean;
  readonly verdicts: number;
}

/**
 * Verdicts of the operator's that become right less those that become wrong, as a share of all of his. And the share of
 * the reference's AI rows that is found more. By pictures and not by class: a few that are labelled wrongly count as
 * few.
 */
function worthOf(
  learned: Learned,
  own: readonly OwnPicture[],
  { reference, shipped, profile }: LearnSetting,
): Worth {
  const before = thresholdsOf(shipped)[profile];
  const after = learned.thresholds[profile];
  const gained = (was: number, is: number, drawn: number): number =>
    Number(reaches(is, drawn, after)) - Number(reaches(was, drawn, before));
  const mine = own.map(
    ({ isAi, fullImage, drawn }, at) =>
      (isAi ? 1 : -1) * gained(logOdds(fullImage), learned.ownOdds[at] as number, drawn),
  );
  const kept = reference.rows.flatMap(({ isAi, odds, drawn }, at) =>
    isAi ? [gained(odds, learned.referenceOdds[at] as number, drawn)] : [],
  );
  const change = mean(kept);
  return { isKept: -change <= MOST_FORGOTTEN, verdicts: mean(mine) + FORGETTING * change };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/** Fits corrections of different strength to the same pictures, each from where the one before ended. */
class Teacher {
  readonly #own: readonly OwnPicture[];
  readonly #setting: LearnSetting;
  readonly #ownFolds: Uint8Array;
  readonly #referenceFolds: Uint8Array;
  /** Of each fold, and of the fit to everything. */
  readonly #former: (Float64Array | undefined)[] = [];

  constructor(own: readonly OwnPicture[], setting: LearnSetting) {
    this.#own = own;
    this.#setting = setting;
    this.#ownFolds = dealFolds(own);
    this.#referenceFolds = dealFolds(setting.reference.rows);
  }

  learn(strength: number): Learned {
    const { reference } = this.#setting;
    const corrections = Array.from({ length: FOLDS + 1 }, (_, fold) => this.#fit(fold, strength));
    const move = (embedding: Float64Array, fold: number): number =>
      dot(embedding, corrections[fold] as Float64Array);
    const ownOdds = Float64Array.from(
      this.#own,
      ({ fullImage, embedding }, at) => logOdds(fullImage) + move(embedding, this.#ownFolds[at] as number),
    );
    const referenceOdds = Float64Array.from(
      reference.rows,
      ({ odds, embedding }, at) => odds + move(embedding, this.#referenceFolds[at] as number),
    );
    return {
      correction: corrections[FOLDS] as Float64Array,
      strength,
      thresholds: fitThresholds(reference, referenceOdds),
      ownOdds,
      referenceOdds,
    };
  }

  /** A correction by all pictures but those of the fold. */
  #fit(fold: number, strength: number): Float64Array {
    const { reference, shipped, profile } = this.#setting;
    const thresholds = thresholdsOf(shipped)[profile];
    const margin = (odds: number, drawn: number): number =>
      odds - logOdds(thresholdBetween(thresholds, drawn));
    const own = this.#own.filter((_, at) => this.#ownFolds[at] !== fold);
    const anchors = reference.rows.filter(
      ({ tier }, at) => tier === ANCHOR_TIER && this.#referenceFolds[at] !== fold,
    );
    const anchorMargins = anchors.map(({ odds, drawn }: ReferenceRow) => margin(odds, drawn));
    const rows = {
      features: [...own, ...anchors].map(({ embedding }) => embedding),
      offsets: Float64Array.from([
        ...own.map(({ fullImage, drawn }) => margin(logOdds(fullImage), drawn)),
        ...anchorMargins,
      ]),
      // What the networks say of the reference is what the correction is to leave: it learns from the operator's pictures alone.
      labels: Float64Array.from([
        ...own.map(({ isAi }) => Number(isAi)),
        ...anchorMargins.map((odds) => 1 / (1 + Math.exp(-odds))),
      ]),
    };
    return (this.#former[fold] = fitLogistic(rows, strength, this.#former[fold]));
  }
}
