// Assembles the report of an evaluation: measures by detector and degradation level, and rows by source or generator.
import { applyBands, bandsOf, mediumOf } from 'telltale-engine/internal/check/thresholds/image-bands.js';
import {
  PROFILE_NAMES,
  type Bands,
  type Medium,
  type ProfileName,
} from 'telltale-engine/internal/check/types.js';
import { shareOf } from '../thresholds/binomial.js';
import { resample, type Estimate, type Reader, type Units, createSample, type Sample } from './measures.js';
import type { LabelledImage } from './dataset.js';
import type { ScoredImage, Scores, UnscoredImage, TierName } from './score-images.js';

/** The two detectors that score images. `id` is their name in results, `member` their name in thresholds. */
export const DETECTORS = [
  { id: 'full_image_specialist', member: 'fullImage' },
  { id: 'face_specialist', member: 'face' },
] as const;
/** Name of a detector in results. */
export type DetectorId = (typeof DETECTORS)[number]['id'];

/** Rates that the thresholds of a profile have on the evaluated images. */
export interface ProfileRow {
  readonly profile: ProfileName;
  /**
   * The threshold of faces, or for the full image one per image domain. An image between the domains has a threshold
   * between the two.
   */
  readonly threshold: number | Readonly<Record<Medium, number>>;
  readonly recall: Estimate;
  readonly false_alarm_rate: Estimate;
  readonly balanced_accuracy: Estimate;
}

/** A row of the report: a source of genuine images, or a generator. */
export interface GroupRow {
  readonly label: 'real' | 'ai';
  readonly group: string;
  readonly pictures: number;
  readonly median_score: number;
  /** Share of flagged images for each profile: the recall of AI images, the false-positive rate of genuine images. */
  readonly fired: Readonly<Record<ProfileName, number>>;
}

/** Results of one detector at one degradation level. */
export interface TierReport {
  readonly detector: DetectorId;
  readonly tier: TierName;
  readonly pictures: { readonly real: number; readonly ai: number };
  readonly sources: { readonly real: number; readonly ai: number };
  /** Number of images without a score: none has a photographed face of at least 64 px. */
  readonly without_score: number;
  /** Units of the bootstrap: whole sources, or single images for a class that has only one source. */
  readonly resampled: { readonly real: 'source' | 'picture'; readonly ai: 'source' | 'picture' };
  readonly auc: Estimate;
  readonly recall_at_1_percent_false_alarms: Estimate;
  readonly recall_at_5_percent_false_alarms: Estimate;
  readonly profiles: readonly ProfileRow[];
  readonly groups: readonly GroupRow[];
  /** Rows by kind of image, if the data names kinds. */
  readonly kinds: readonly GroupRow[];
  /** Rows for photographs and illustrations; only for the full-image detector. */
  readonly looks: readonly GroupRow[];
}

/** Results of the verdict, which combines both detectors, at one degradation level. */
export interface VerdictReport extends Pick<TierReport, 'tier' | 'pictures' | 'sources' | 'resampled'> {
  readonly profiles: readonly Omit<ProfileRow, 'threshold'>[];
}

/** Report that `telltale models eval` prints or writes. */
export interface EvaluationReport {
  readonly model: string;
  readonly bands_version: string;
  readonly note: string;
  readonly failed: readonly { readonly path: string; readonly code: string; readonly message: string }[];
  readonly tiers: readonly TierReport[];
  /** Results of verdicts. A verdict is AI if either detector flags the image. */
  readonly verdicts: readonly VerdictReport[];
}

const NOTE =
  'scored by the shipped engine without the limits of a check (256 px, JPEG quality 50), which are rules of the service; ' +
  'intervals are 95% bootstrap intervals, and exact binomial intervals for rates that do not vary between resamplings, such as 0 and 1';

/** Assembles the report from the scores. Has no side effects. */
export function assembleReport(scores: Scores, bands: Bands, tiers: readonly TierName[]): EvaluationReport {
  return {
    model: bands.model,
    bands_version: bands.version,
    note: NOTE,
    failed: scores.failed.map(({ image, code, message }: UnscoredImage) => ({
      path: image.path,
      code,
      message,
    })),
    tiers: DETECTORS.flatMap(({ id }) =>
      tiers.map((tier) => reportTier(selectRows(scores.scored, id, tier), bands)),
    ),
    verdicts: tiers.map((tier) => reportVerdict(scores.scored, tier, bands)),
  };
}

/** A detector's scores at one degradation level. */
export interface DetectorRows {
  readonly detector: DetectorId;
  readonly tier: TierName;
  readonly rows: readonly DetectorRow[];
  readonly withoutScore: number;
}

/** An image with its score and the probability that it is an illustration, 0..1 each. */
export interface DetectorRow extends LabelledImage {
  readonly score: number;
  readonly drawn: number;
}

/** Selects a detector's scores at one degradation level. */
export function selectRows(
  scored: readonly ScoredImage[],
  detector: DetectorId,
  tier: TierName,
): DetectorRows {
  const inTier = scored.filter((row) => row.tier === tier);
  const rows = inTier.flatMap(({ image, fullImage, drawn, face }): DetectorRow[] => {
    const score = detector === 'full_image_specialist' ? fullImage : face;
    return score === null ? [] : [{ ...image, score, drawn }];
  });
  return { detector, tier, rows, withoutScore: inTier.length - rows.length };
}

function reportTier({ detector, tier, rows, withoutScore }: DetectorRows, bands: Bands): TierReport {
  const member = DETECTORS.find(({ id }) => id === detector)?.member ?? 'fullImage';
  const judged = rows.map((row) => ({
    ...row,
    fired: PROFILE_NAMES.map(
      (profile) => row.score >= bandsOf(bands.profiles[profile], row.drawn)[member].threshold,
    ),
  }));
  const { estimate, pictures, resampled, sources } = measureRows(judged);
  const ofAi = (read: Reader): Estimate => widen(estimate(read), pictures.ai);
  const groupRows = (nameOf: (row: DetectorRow) => string): GroupRow[] => summariseGroups(judged, nameOf);
  return {
    detector,
    tier,
    pictures,
    sources,
    without_score: withoutScore,
    resampled,
    auc: omitPoint(estimate(({ auc }) => auc)),
    recall_at_1_percent_false_alarms: ofAi(({ recallAt }) => recallAt[0] ?? NaN),
    recall_at_5_percent_false_alarms: ofAi(({ recallAt }) => recallAt[1] ?? NaN),
    profiles: PROFILE_NAMES.map((profile, at) => ({
      profile,
      threshold: shippedThreshold(bands, profile, member),
      ...ratesAt(at, estimate, pictures),
    })),
    groups: groupRows(({ group }) => group),
    kinds: groupRows(({ kind }) => kind).filter(({ group }) => group !== ''),
    looks: member === 'fullImage' ? groupRows(({ drawn }) => mediumOf(drawn)) : [],
  };
}

function reportVerdict(scored: readonly ScoredImage[], tier: TierName, bands: Bands): VerdictReport {
  const judged = scored
    .filter((row) => row.tier === tier)
    .map(({ image, fullImage, drawn, face }) => ({
      ...image,
      score: fullImage,
      drawn,
      fired: PROFILE_NAMES.map(
        (profile) => applyBands({ fullImage, face }, bandsOf(bands.profiles[profile], drawn)).length > 0,
      ),
    }));
  const { estimate, pictures, resampled, sources } = measureRows(judged);
  return {
    tier,
    pictures,
    sources,
    resampled,
    profiles: PROFILE_NAMES.map((profile, at) => ({ profile, ...ratesAt(at, estimate, pictures) })),
  };
}

type Images = TierReport['pictures'];

function measureRows(judged: readonly JudgedRow[]) {
  const { sample, units, resampled, sources } = assignUnits(judged);
  const ai = judged.filter(({ isAi }) => isAi).length;
  const pictures: Images = { real: judged.length - ai, ai };
  return { estimate: resample(sample, units), pictures, resampled, sources };
}

/** Estimates the rates at the thresholds of the profile with index `at` in PROFILE_NAMES. */
function ratesAt(at: number, estimate: (read: Reader) => Estimate, { real, ai }: Images) {
  const recall = estimate(({ atThresholds }) => atThresholds[at]?.recall ?? NaN);
  const falseAlarms = estimate(({ atThresholds }) => atThresholds[at]?.falseAlarmRate ?? NaN);
  const accuracy = estimate(({ atThresholds }) => atThresholds[at]?.balancedAccuracy ?? NaN);
  const wide = { recall: widen(recall, ai), false_alarm_rate: widen(falseAlarms, real) };
  const isSame = wide.recall === recall && wide.false_alarm_rate === falseAlarms;
  return { ...wide, balanced_accuracy: isSame ? accuracy : widenMean(accuracy, wide) };
}

/**
 * Widens the interval of a rate for which the bootstrap finds no variation, such as a rate of exactly 0 or 1. Uses the
 * binomial interval of the number of images instead.
 */
function widen(estimate: Estimate, images: number): Estimate {
  const { value } = estimate;
  if (value === null || (estimate.low !== estimate.high && value !== 0 && value !== 1)) return estimate;
  const { low, high } = shareOf(Math.round(value * images), images);
  return { value, low, high };
}

/** Widens the interval of the balanced accuracy to the mean of the ends of two rates' intervals. */
function widenMean({ value }: Estimate, rates: Record<'recall' | 'false_alarm_rate', Estimate>): Estimate {
  const { recall, false_alarm_rate: flagged } = rates;
  const mean = (one: number | null, other: number | null): number | null =>
    one === null || other === null ? null : (one + 1 - other) / 2;
  return { value, low: mean(recall.low, flagged.high), high: mean(recall.high, flagged.low) };
}

/** Omits an interval without width, for which an AUC has no other interval. */
function omitPoint({ value, low, high }: Estimate): Estimate {
  return low === high ? { value, low: null, high: null } : { value, low, high };
}

/** An image, and for each of PROFILE_NAMES whether the profile flags the image. */
interface JudgedRow extends DetectorRow {
  readonly fired: readonly boolean[];
}

function shippedThreshold(
  { profiles }: Bands,
  profile: ProfileName,
  member: (typeof DETECTORS)[number]['member'],
): ProfileRow['threshold'] {
  if (member === 'face') return profiles[profile].face.threshold;
  const { photographed, drawn } = profiles[profile].fullImage;
  return { photographed: photographed.threshold, drawn: drawn.threshold };
}

/** Assigns a unit of the bootstrap to each image: its source, or the image itself if its class has only one source. */
function assignUnits(rows: readonly JudgedRow[]): {
  readonly sample: Sample;
  readonly units: Units;
  readonly resampled: TierReport['resampled'];
  readonly sources: TierReport['sources'];
} {
  const sourcesOf = (isAi: boolean): number =>
    new Set(rows.filter((row) => row.isAi === isAi).map(({ source }) => source)).size;
  const sources = { real: sourcesOf(false), ai: sourcesOf(true) };
  const resampled = {
    real: sources.real > 1 ? ('source' as const) : ('picture' as const),
    ai: sources.ai > 1 ? ('source' as const) : ('picture' as const),
  };
  const numbers = new Map<string, number>();
  const members = { ai: new Set<number>(), genuine: new Set<number>() };
  const numbered = rows.map(({ score, isAi, source, fired }, at) => {
    const by = isAi ? resampled.ai : resampled.real;
    const key = `${isAi ? 'ai' : 'real'} ${by === 'source' ? source : at}`;
    const unit = numbers.get(key) ?? numbers.size;
    numbers.set(key, unit);
    members[isAi ? 'ai' : 'genuine'].add(unit);
    return { score, isAi, unit, fired };
  });
  return {
    sample: createSample(numbered),
    units: { ai: [...members.ai], genuine: [...members.genuine] },
    resampled,
    sources,
  };
}

function summariseGroups(rows: readonly JudgedRow[], nameOf: (row: DetectorRow) => string): GroupRow[] {
  const groups = new Map<string, JudgedRow[]>();
  for (const row of rows) {
    const key = `${row.isAi ? 'ai' : 'real'} ${nameOf(row)}`;
    const members = groups.get(key);
    if (members === undefined) groups.set(key, [row]);
    else members.push(row);
  }
  return [...groups.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, members]) => {
      const scores = members.map(({ score }) => score).sort((a, b) => a - b);
      const shareAt = (at: number) => members.filter(({ fired }) => fired[at]).length / members.length;
      const fired = Object.fromEntries(PROFILE_NAMES.map((profile, at) => [profile, shareAt(at)]));
      const [first] = members;
      return {
        label: first?.isAi === true ? 'ai' : 'real',
        group: first === undefined ? '' : nameOf(first),
        pictures: members.length,
        median_score: scores[Math.floor(scores.length / 2)] ?? NaN,
        fired: fired as Record<ProfileName, number>,
      };
    });
}
