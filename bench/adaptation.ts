// What corrections buy: learned from few pictures of one source, measured on others that no one learned from.
//   node --import tsx bench/adaptation.ts REFERENCE TEST
// TEST is what `python -m adaptation.reference --part test` wrote of the test part of the split (models/training).
import { loadBands } from '../src/check/thresholds/bands.js';
import { join } from 'node:path';
import { dot } from '../src/calibration/adaptation/logistic.js';
import {
  learnCorrection,
  reaches,
  thresholdsOf,
  type Learned,
  type OwnPicture,
} from '../src/calibration/adaptation/learn.js';
import { countEffect } from '../src/calibration/adaptation/effect.js';
import { loadReference, type ReferenceRow } from '../src/calibration/adaptation/reference.js';
import { PACKAGE_MODELS_DIR } from '../src/base/package-paths.js';
import { formatTable } from '../src/base/text-columns.js';

const [referenceDir, testDir] = process.argv.slice(2);
if (referenceDir === undefined || testDir === undefined) throw new Error('name REFERENCE and TEST');

/** Drawings of pictures from a source; each task is measured so often. */
const DRAWINGS = 1;
/** Pictures that are left to measure on at least. */
const LEAST_LEFT = 8;
/** Pictures of other sources from which on they are what is measured on. */
const LEAST_OTHERS = 8;
/** Genuine pictures of a source that are learned from: as many as `models adapt` wants at least, and at most. */
const LEAST_GENUINE = 20;
const MOST_GENUINE = 30;
const PROFILE = 'balanced';

const reference = await loadReference(referenceDir);
const test = await loadReference(testDir);
const shipped = await loadBands(join(PACKAGE_MODELS_DIR, 'bands.json'), reference.model);
const before = thresholdsOf(shipped)[PROFILE];

/** Rows by what `keyOf` says of them. */
function groupBy<T, Key>(rows: readonly T[], keyOf: (row: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}

const tiersOf = groupBy(test.rows, ({ picture }) => picture);
/** Of the pictures that the test part measures on: those beyond thirty of a source were seen in one tier only. */
const measured = test.rows.filter(({ picture }) => tiersOf.get(picture)?.length === 3);
const clean = test.rows.filter(({ tier }) => tier === 'clean');
const fires = ({ odds, drawn }: ReferenceRow): boolean => reaches(odds, drawn, before);
const share = <T>(rows: readonly T[], holds: (row: T) => boolean): number =>
  rows.filter(holds).length / rows.length;
const genuine = measured.filter(({ isAi }) => !isAi);
const ai = measured.filter(({ isAi }) => isAi);

/** Numbers 0..1 that are the same each time. */
function numbers(seed: number): () => number {
  let state = seed + 1;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

function draw(rows: readonly ReferenceRow[], count: number, seed: number): ReferenceRow[] {
  const next = numbers(seed * 7919);
  return rows
    .map((row) => ({ row, at: next() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, count)
    .map(({ row }) => row);
}

const ownOf = ({ isAi, source, odds, drawn, embedding }: ReferenceRow): OwnPicture => ({
  isAi,
  source,
  fullImage: 1 / (1 + Math.exp(-odds)),
  drawn,
  embedding,
});

/** Rates before and after a correction: of `left`, of all genuine and of all AI test pictures in all tiers. */
interface Outcome {
  readonly before: number;
  readonly after: number;
  readonly falseAlarms: number;
  readonly recall: number;
}

function measure(taken: readonly OwnPicture[], left: readonly ReferenceRow[]): Outcome {
  return measureWith(learnCorrection(taken, { reference, shipped, profile: PROFILE }), left);
}

function measureWith({ correction, thresholds }: Learned, left: readonly ReferenceRow[]): Outcome {
  const now = ({ odds, drawn, embedding }: ReferenceRow): boolean =>
    reaches(odds + dot(embedding, correction), drawn, thresholds[PROFILE]);
  return {
    before: share(left, fires),
    after: share(left, now),
    falseAlarms: share(genuine, now) - share(genuine, fires),
    recall: share(ai, now) - share(ai, fires),
  };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const points = (change: number): string => `${change < 0 ? '' : '+'}${(100 * change).toFixed(2)}`;
const said: string[][] = [
  [
    'learned from',
    'of',
    'pictures',
    'measured on',
    'before',
    'after',
    'false alarms, points',
    'recall of all, points',
  ],
];
const gains = new Map<string, number[]>();

function tell(task: string, source: string, count: number, left: number, outcomes: readonly Outcome[]): void {
  const [was, is, alarms, recall] = (['before', 'after', 'falseAlarms', 'recall'] as const).map((name) =>
    mean(outcomes.map((outcome) => outcome[name])),
  ) as [number, number, number, number];
  said.push([
    task,
    source,
    String(count),
    String(left),
    was.toFixed(3),
    is.toFixed(3),
    points(alarms),
    points(recall),
  ]);
  console.error(said.at(-1)?.join('  '));
}

const generators = [
  ...groupBy(
    clean.filter(({ isAi }) => isAi),
    ({ generator }) => generator,
  ),
];
for (const [generator, rows] of generators) {
  if (rows.length < 30 || share(rows, fires) >= 0.5) continue;
  const sources = [...groupBy(rows, ({ source }) => source)].sort((a, b) => b[1].length - a[1].length);
  const [source, pool] = sources[0] as [string, ReferenceRow[]];
  const others = rows.filter((row) => row.source !== source);
  for (const wrong of [0, 0.1])
    for (const wanted of wrong === 0 ? [8, 16, 32] : [32]) {
      const isElsewhere = others.length >= LEAST_OTHERS;
      const count = Math.min(wanted, pool.length - (isElsewhere ? 0 : LEAST_LEFT));
      const outcomes: Outcome[] = [];
      for (let seed = 0; seed < DRAWINGS; seed += 1) {
        const taken = draw(pool, count, seed);
        const left = isElsewhere ? others : pool.filter((row) => !taken.includes(row));
        const flipped = Math.round(wrong * count);
        outcomes.push(
          measure(
            taken.map(ownOf).map((own, at) => (at < flipped ? { ...own, isAi: false } : own)),
            left,
          ),
        );
      }
      const task = wrong === 0 ? generator : `${generator}, a tenth labelled genuine`;
      tell(task, source, count, isElsewhere ? others.length : pool.length - count, outcomes);
      const key = wrong === 0 ? `AI, ${wanted}` : `AI, ${wanted}, a tenth labelled wrongly`;
      gains.set(key, [...(gains.get(key) ?? []), mean(outcomes.map((one) => one.after - one.before))]);
    }
}
// Few sources that fire have more than thirty pictures: each of them is judged by a correction learned without its fold.
const genuineSources = [
  ...groupBy(
    clean.filter(({ isAi }) => !isAi),
    ({ source }) => source,
  ),
];
for (const [source, all] of genuineSources) {
  const rows = all.slice(0, MOST_GENUINE);
  if (rows.length < LEAST_GENUINE || share(rows, fires) <= 0.03) continue;
  const learned = learnCorrection(rows.map(ownOf), { reference, shipped, profile: PROFILE });
  const outcome = countEffect(rows.map(ownOf), { reference, shipped, profile: PROFILE }, learned);
  const overall = measureWith(learned, rows);
  const rates = { before: outcome.genuine.before.rate, after: outcome.genuine.after.rate };
  tell('genuine, out of fold', source, rows.length, rows.length, [{ ...overall, ...rates }]);
}
for (const line of formatTable(said)) console.log(line);
for (const [key, values] of gains)
  console.log(`${key}: mean gain ${mean(values).toFixed(3)} over ${values.length} generators`);
