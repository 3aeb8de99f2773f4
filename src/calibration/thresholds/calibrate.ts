// Fits thresholds to an operator's own genuine images, so that a chosen share of genuine images is flagged.
import { percentUp, roundDown, roundUp, logOdds } from 'telltale-engine/internal/base/numbers.js';
import { bandsOf, mediumOf } from 'telltale-engine/internal/check/thresholds/image-bands.js';
import {
  MEDIUM_NAMES,
  PROFILE_NAMES,
  type Band,
  type Bands,
  type Medium,
  type ProfileBands,
  type ProfileName,
} from 'telltale-engine/internal/check/types.js';
import type { DetectorId } from '../evaluation/report.js';
import { shareOf, type Share } from './binomial.js';
import type { FitImage } from './fit-images.js';

/** Chosen false-positive rate for each profile, 0..1. */
export type Aims = Readonly<Record<ProfileName, number>>;

/** A threshold before and after the calibration. */
export interface CalibratedThreshold {
  readonly profile: ProfileName;
  readonly detector: DetectorId;
  /** Image domain: photograph or illustration. Null for faces, which have one threshold. */
  readonly medium: Medium | null;
  readonly aim: number;
  /** Reason why the threshold was not fitted to its chosen false-positive rate; null if it was. */
  readonly keptReason: string | null;
  readonly before: ThresholdRates;
  readonly after: ThresholdRates;
}

/** A threshold with its rates on the operator's images of this domain. */
interface ThresholdRates {
  readonly threshold: number;
  readonly falseAlarms: Share;
  readonly recall: Share;
}

/** Result of a calibration. */
export interface Calibration {
  readonly profiles: Bands['profiles'];
  /** Thresholds by profile, strictest first; within a profile photographs, illustrations, faces. */
  readonly thresholds: readonly CalibratedThreshold[];
}

/** Number of decimals of rates in a thresholds file. */
const RATE_DECIMALS = 4;

/** The three thresholds of a profile: for photographs, illustrations and faces. */
type Cut = Readonly<Record<Medium | 'face', number>>;
const CUTS = [...MEDIUM_NAMES, 'face'] as const;

/** Fits thresholds to the genuine images among `images`. Keeps a threshold of `shipped` if its images are too few. */
export function calibrate(images: readonly FitImage[], shipped: Bands, aims: Aims): Calibration {
  const genuine = images.filter(({ isAi }) => !isAi);
  const counts: Cut = {
    photographed: genuine.filter(({ drawn }) => mediumOf(drawn) === 'photographed').length,
    drawn: genuine.filter(({ drawn }) => mediumOf(drawn) === 'drawn').length,
    face: genuine.filter(({ face }) => face !== null).length,
  };
  const profiles = { ...shipped.profiles };
  const thresholds: CalibratedThreshold[] = [];
  let floor: Cut = { photographed: 0, drawn: 0, face: 0 };
  // Starts with the profile that has the lowest thresholds, because the next, stricter profile must not have lower
  // ones.
  for (const profile of [...PROFILE_NAMES].reverse()) {
    const aim = aims[profile];
    const before = shipped.profiles[profile];
    const isEnough = (cut: keyof Cut): boolean => counts[cut] * aim >= 1;
    const fitted = fitCut(genuine, aim, before, isEnough);
    const cut = mapCuts((name) => Math.max(fitted[name], floor[name]));
    const moved = withCut(before, cut);
    const ratesOf = (name: keyof Cut, bands: ProfileBands): ThresholdRates => measure(images, name, bands);
    profiles[profile] = mapBands(moved, (name, band) =>
      isEnough(name) || cut[name] > fitted[name] ? measuredBand(band, ratesOf(name, moved)) : band,
    );
    const rows = CUTS.map((name): CalibratedThreshold => {
      return {
        profile,
        detector: name === 'face' ? 'face_specialist' : 'full_image_specialist',
        medium: name === 'face' ? null : name,
        aim,
        keptReason: explainKept(counts[name], aim, cut[name] > fitted[name]),
        before: ratesOf(name, before),
        after: ratesOf(name, moved),
      };
    });
    thresholds.unshift(...rows);
    floor = cut;
  }
  return { profiles, thresholds };
}

function explainKept(count: number, aim: number, isRaised: boolean): string | null {
  if (isRaised) return 'raised to the threshold of the less strict profile';
  if (count * aim >= 1) return null;
  return `unchanged: a rate of ${percentUp(aim)} needs ${Math.ceil(1 / aim - 1e-9)} images, but there are ${count}`;
}

/** Returns the lowest thresholds with at most `aim` false positives; the shipped ones for too few images. */
function fitCut(
  genuine: readonly FitImage[],
  aim: number,
  shipped: ProfileBands,
  isEnough: (cut: keyof Cut) => boolean,
): Cut {
  const shippedCut = cutOf(shipped);
  const fixed: Partial<Record<Medium, number>> = {};
  for (const medium of MEDIUM_NAMES) if (!isEnough(medium)) fixed[medium] = logOdds(shippedCut[medium]);
  const rows = genuine.map(({ fullImage, drawn }) => ({ odds: logOdds(fullImage), drawn }));
  const faces = genuine.flatMap(({ face }) => (face === null ? [] : [{ odds: logOdds(face), drawn: 0 }]));
  const fitted: Cut = {
    ...fitByMedium(rows, aim, fixed),
    face: fitByMedium(faces, aim, { drawn: 0 }).photographed,
  };
  return mapCuts((name) => (isEnough(name) ? thresholdAt(fitted[name]) : shippedCut[name]));
}

function cutOf({ fullImage, face }: ProfileBands): Cut {
  return {
    photographed: fullImage.photographed.threshold,
    drawn: fullImage.drawn.threshold,
    face: face.threshold,
  };
}

function mapCuts(map: (name: keyof Cut) => number): Cut {
  return { photographed: map('photographed'), drawn: map('drawn'), face: map('face') };
}

function mapBands(
  { fullImage, face }: ProfileBands,
  map: (name: keyof Cut, band: Band) => Band,
): ProfileBands {
  return {
    fullImage: {
      photographed: map('photographed', fullImage.photographed),
      drawn: map('drawn', fullImage.drawn),
    },
    face: map('face', face),
  };
}

function withCut(bands: ProfileBands, cut: Cut): ProfileBands {
  return mapBands(bands, (name, band) => ({ ...band, threshold: cut[name] }));
}

/** Returns a threshold with the rates measured on the operator's images, without recall if there are no AI images. */
function measuredBand({ threshold }: Band, { falseAlarms, recall }: ThresholdRates): Band {
  const measuredRecall = recall.images === 0 ? null : roundDown(recall.rate, RATE_DECIMALS);
  return {
    threshold,
    falseAlarmRate: falseAlarms.images === 0 ? 0 : roundUp(falseAlarms.rate, RATE_DECIMALS),
    recall: { clean: measuredRecall, web: null, hard: null },
  };
}

function measure(images: readonly FitImage[], name: keyof Cut, bands: ProfileBands): ThresholdRates {
  const counts = { ai: [0, 0], genuine: [0, 0] } as Record<'ai' | 'genuine', [fired: number, all: number]>;
  for (const image of images) {
    if (!isJudgedBy(image, name)) continue;
    const count = counts[image.isAi ? 'ai' : 'genuine'];
    count[1] += 1;
    if (firesAt(image, name === 'face' ? 'face_specialist' : 'full_image_specialist', bands)) count[0] += 1;
  }
  return {
    threshold: cutOf(bands)[name],
    falseAlarms: shareOf(...counts.genuine),
    recall: shareOf(...counts.ai),
  };
}

function isJudgedBy({ drawn, face }: FitImage, name: keyof Cut): boolean {
  return name === 'face' ? face !== null : mediumOf(drawn) === name;
}

/** Returns whether the detector flags the image with a profile's thresholds. */
export function firesAt(
  { fullImage, drawn, face }: FitImage,
  detector: DetectorId,
  bands: ProfileBands,
): boolean {
  const imageBands = bandsOf(bands, drawn);
  if (detector === 'face_specialist') return face !== null && face >= imageBands.face.threshold;
  return fullImage >= imageBands.fullImage.threshold;
}

/** A genuine image with its score. */
interface GenuineRow {
  /** The score, as log odds. */
  readonly odds: number;
  /** Probability that the image is an illustration, 0..1 with four decimals. */
  readonly drawn: number;
}

/** Maximum number of iterations. */
const ROUNDS = 200;
/** Maximum log odds of a threshold; the minimum is its negative. */
const MAX_LOG_ODDS = 20;
/** Amount of log odds by which a threshold exceeds the highest score that it must not flag. */
const ABOVE = 1e-9;

/** Converts log odds to a threshold with four decimals. Rounds up, which never adds a false positive. */
export function thresholdAt(odds: number): number {
  return Math.min(1, Math.ceil(10_000 / (1 + Math.exp(-odds))) / 10_000);
}

/**
 * Returns the log odds of both thresholds, unrounded. Each is the lowest at which at most the share `rate` of its
 * domain's images is flagged, given the other threshold. `fixed` are thresholds that stay unchanged, as log odds. A
 * domain without images gets the threshold of the other. The shipped thresholds are fitted in the same way, see
 * `models/training/measure/domain_thresholds.py`.
 */
export function fitByMedium(
  rows: readonly GenuineRow[],
  rate: number,
  fixed: Partial<Readonly<Record<Medium, number>>> = {},
): Readonly<Record<Medium, number>> {
  const sides = MEDIUM_NAMES.filter((medium) => fixed[medium] === undefined)
    .map((medium) => ({ medium, rows: rows.filter(({ drawn }) => mediumOf(drawn) === medium) }))
    .filter((side) => side.rows.length > 0);
  const odds: Partial<Record<Medium, number>> = { ...fixed };
  for (const side of sides)
    odds[side.medium] = lowestThreshold(
      side.rows.map((row) => row.odds),
      rate,
    );
  const oddsOrDefault = (medium: Medium): number => odds[medium] ?? odds[otherThan(medium)] ?? MAX_LOG_ODDS;
  const fittedOdds = { photographed: oddsOrDefault('photographed'), drawn: oddsOrDefault('drawn') };
  for (let round = 0; round < ROUNDS; round += 1) {
    let moved = 0;
    for (const { medium, rows: mediumRows } of sides) {
      const otherOdds = fittedOdds[otherThan(medium)];
      // For each image, the highest threshold of this domain that flags the image, given the other threshold.
      const reached = mediumRows.map((row) => {
        const ownShare = medium === 'drawn' ? row.drawn : 1 - row.drawn;
        return (row.odds - (1 - ownShare) * otherOdds) / ownShare;
      });
      const next = lowestThreshold(reached, rate);
      moved = Math.max(moved, Math.abs(next - fittedOdds[medium]));
      fittedOdds[medium] = next;
    }
    if (moved < 1e-12) break;
  }
  return fittedOdds;
}

function otherThan(medium: Medium): Medium {
  return medium === 'drawn' ? 'photographed' : 'drawn';
}

/** Returns the lowest threshold that flags at most the share `rate` of the values. */
function lowestThreshold(values: readonly number[], rate: number): number {
  const sorted = [...values].sort((a, b) => b - a);
  const highestBelow = sorted[Math.floor(rate * values.length + 1e-12)] ?? -Infinity;
  return Math.min(MAX_LOG_ODDS, Math.max(-MAX_LOG_ODDS, highestBelow + ABOVE));
}
