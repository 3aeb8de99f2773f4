// What corrections buy. Learned from few pictures of some sources they are measured on pictures of others, learned from
// some of one source on the rest of it.
//   node --import tsx bench/adaptation.ts LIST.csv|FOLDER ... [--drawings N]
// Labelled pictures as `telltale models eval` takes them; a source should be an owner. None of them may have set what
// ships. Each is seen by all views in each tier.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pMapIterable } from 'p-map';
import { CheckError } from '../src/base/errors.js';
import { logOdds } from '../src/base/log-odds.js';
import { PACKAGE_MODELS_DIR } from '../src/base/package-paths.js';
import { formatTable } from '../src/base/text-columns.js';
import { countEffect, findFault } from '../src/calibration/adaptation/effect.js';
import {
  learnCorrection,
  reaches,
  thresholdsOf,
  type Learned,
  type OwnPicture,
} from '../src/calibration/adaptation/learn.js';
import { dot } from '../src/calibration/adaptation/logistic.js';
import { loadReference } from '../src/calibration/adaptation/reference.js';
import { loadDataset, type LabelledPicture } from '../src/calibration/evaluation/dataset.js';
import { deliver, TIER_NAMES, type TierName } from '../src/calibration/evaluation/tiers.js';
import { readPicture } from '../src/calibration/input-files/read-picture.js';
import { roundScore } from '../src/check/rounding.js';
import { loadBands } from '../src/check/thresholds/bands.js';
import { loadModels } from '../src/engine/manifests/manifest.js';
import { createEngine } from '../src/engine/native/engine.js';
import { describeMachine } from './machine.js';

/** How many pictures are learned from; `models adapt` takes 8 AI or 20 genuine ones at least. */
const COUNTS = { ai: [8, 16, 32], genuine: [20, 40] } as const;
/** Pictures that are left to measure on at least: of sources that were not learned from, and of the very source. */
const LEAST_LEFT = { elsewhere: 8, within: 4 } as const;
/** Of a source, so that none outweighs the rest. */
const MOST_OF_A_SOURCE = 10;
/** Shares that fire of what nobody would correct: generators that are found oftener, kinds that are accused less. */
const WELL = { ai: 0.6, genuine: 0.01 } as const;
const PROFILE = 'balanced';

/** One picture as it arrives in one tier. */
interface Row extends OwnPicture {
  readonly path: string;
  readonly group: string;
  readonly kind: string;
  readonly tier: TierName;
}

/** Pictures that somebody might correct. */
interface Task {
  readonly name: string;
  readonly isAi: boolean;
  /** Of all tiers. */
  readonly rows: readonly Row[];
}

/** Shares of rows that fire, before and after. */
interface Change {
  readonly before: number;
  readonly after: number;
}

/** What one drawing of pictures brought. */
interface Outcome {
  readonly sources: number;
  readonly left: number;
  /** Rows of the task that are left. */
  readonly task: Change;
  /** Everybody else's, genuine and AI. */
  readonly genuine: Change;
  readonly ai: Change;
  /** Whether `models adapt` would have written it. */
  readonly isTaken: boolean;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { drawings: { type: 'string', default: '3' } },
});
const drawings = Number(values.drawings);
if (positionals.length === 0 || !Number.isInteger(drawings) || drawings < 1)
  throw new Error('name labelled pictures (LIST.csv or FOLDER), and --drawings from 1 on');
const pictures = await loadDataset(positionals, new AbortController().signal);
const { networksDir, networks } = await loadModels(PACKAGE_MODELS_DIR, null);
const engine = await createEngine({ device: 'cpu', modelsDir: networksDir });
const shipped = await loadBands(join(networksDir, 'bands.json'), engine.model);
const reference = await loadReference(join(networksDir, 'reference'), engine.model);
const setting = { reference, shipped, profile: PROFILE } as const;
const thresholds = thresholdsOf(shipped)[PROFILE];
const rows = await see().finally(() => engine.close());
const sources = new Set(rows.map(({ source }) => source));
console.log(
  `${engine.model} on ${describeMachine().processor}: ${rows.length / TIER_NAMES.length} pictures of ${sources.size} sources`,
);
const said = [
  [
    'learned from',
    'pictures',
    'of sources',
    'measured on',
    'fire before',
    'after',
    'genuine: points',
    'AI: points',
    'taken',
  ],
];
for (const task of findTasks()) {
  for (const count of COUNTS[task.isAi ? 'ai' : 'genuine']) {
    const outcomes = Array.from({ length: drawings }, (_, seed) => tryOnce(task, count, seed)).filter(
      (outcome) => outcome !== null,
    );
    if (outcomes.length === 0) continue;
    said.push(tell(task, count, outcomes));
    console.error(said.at(-1)?.join('  '));
  }
}
for (const line of formatTable(said)) console.log(line);

/** Every picture in every tier, in the order of the list; those that can't be seen are named. */
async function see(): Promise<Row[]> {
  const found: Row[] = [];
  const concurrency = engine.stats().threads.decode + 1;
  let count = 0;
  for await (const seen of pMapIterable(pictures, seeOne, { concurrency })) {
    found.push(...seen);
    count += 1;
    if (count % 100 === 0) console.error(`${count} of ${pictures.length} pictures seen`);
  }
  return found;
}

async function seeOne(picture: LabelledPicture): Promise<Row[]> {
  // Zeros change no score and ask for all views, by which the reference was seen.
  const correction = new Float64Array(networks.embeddingSize);
  try {
    const bytes = await readPicture(picture.path, new AbortController().signal);
    const found: Row[] = [];
    for (const tier of TIER_NAMES) {
      const looked = await engine.inspect(await deliver(engine, bytes, tier), { correction });
      const { fullImageScore: fullImage, drawn, embedding } = looked;
      found.push({ ...picture, tier, fullImage, drawn: roundScore(drawn, 0), embedding });
    }
    return found;
  } catch (error) {
    if (!(error instanceof CheckError)) throw error;
    console.error(`${picture.path}: ${error.code}`);
    return [];
  }
}

/** Generators and kinds of AI pictures that are missed, those of one source too, and kinds of genuine ones that are accused. */
function findTasks(): Task[] {
  const tasks = new Map<string, Row[]>();
  for (const row of rows) {
    const { isAi, group, kind, source } = row;
    for (const name of new Set(isAi ? [group, kind, `${group}, ${source}`] : [`${kind}, genuine`])) {
      if (!tasks.has(name)) tasks.set(name, []);
      tasks.get(name)?.push(row);
    }
  }
  return [...tasks]
    .map(([name, mine]) => ({ name, isAi: mine[0]?.isAi === true, rows: mine }))
    .filter(({ name, isAi, rows: mine }) => {
      const owners = new Set(mine.map(({ source }) => source));
      const fire = share(mine, fires);
      const isNamed = owners.size > 1 || name.endsWith(`, ${[...owners].join()}`);
      return isNamed && (isAi ? fire < WELL.ai : fire > WELL.genuine);
    });
}

/** Learns from `count` pictures drawn by `seed`; null where too few are left. */
function tryOnce({ isAi, rows: mine }: Task, count: number, seed: number): Outcome | null {
  const drawn = shuffle([...new Set(mine.map(({ source }) => source))], seed);
  const isWithin = drawn.length === 1;
  const most = isWithin ? count : MOST_OF_A_SOURCE;
  const taken: Row[] = [];
  const learnedFrom = new Set<string>();
  for (const source of drawn) {
    if (taken.length === count) break;
    const pictures = mine.filter((row) => row.source === source && row.tier === 'clean');
    taken.push(...shuffle(pictures, seed).slice(0, Math.min(most, count - taken.length)));
    learnedFrom.add(source);
  }
  const learnedPaths = new Set(taken.map(({ path }) => path));
  const left = mine.filter(({ path, source }) =>
    isWithin ? !learnedPaths.has(path) : !learnedFrom.has(source),
  );
  const least = TIER_NAMES.length * LEAST_LEFT[isWithin ? 'within' : 'elsewhere'];
  if (taken.length < count || left.length < least) return null;
  const learned = learnCorrection(taken, setting);
  const others = rows.filter(({ source }) => !learnedFrom.has(source));
  const elsewhere = others.filter((row) => row.isAi !== isAi || !left.includes(row));
  return {
    sources: learnedFrom.size,
    left: left.length / TIER_NAMES.length,
    task: change(left, learned),
    genuine: change(
      elsewhere.filter((row) => !row.isAi),
      learned,
    ),
    ai: change(
      elsewhere.filter((row) => row.isAi),
      learned,
    ),
    isTaken: findFault(countEffect(taken, setting, learned)) === null,
  };
}

function change(of: readonly Row[], { correction, thresholds: after }: Learned): Change {
  const now = ({ fullImage, drawn, embedding }: Row): boolean =>
    reaches(logOdds(fullImage) + dot(embedding, correction), drawn, after[PROFILE]);
  return { before: share(of, fires), after: share(of, now) };
}

function fires({ fullImage, drawn }: Row): boolean {
  return reaches(logOdds(fullImage), drawn, thresholds);
}

function share<T>(of: readonly T[], holds: (row: T) => boolean): number {
  return of.filter(holds).length / Math.max(1, of.length);
}

/** The same order each time for a seed. Source: Fisher-Yates, with a Lehmer generator. */
function shuffle<T>(of: readonly T[], seed: number): T[] {
  const found = [...of];
  let state = (seed + 1) * 7919;
  for (let at = found.length - 1; at > 0; at -= 1) {
    state = (state * 48_271) % 2_147_483_647;
    const other = state % (at + 1);
    [found[at], found[other]] = [found[other] as T, found[at] as T];
  }
  return found;
}

function tell({ name }: Task, count: number, outcomes: readonly Outcome[]): string[] {
  const mean = (valueOf: (outcome: Outcome) => number): number =>
    outcomes.map(valueOf).reduce((sum, value) => sum + value, 0) / outcomes.length;
  const points = (changeOf: (outcome: Outcome) => Change): string => {
    const moved = 100 * mean((outcome) => changeOf(outcome).after - changeOf(outcome).before);
    return `${moved < 0 ? '' : '+'}${moved.toFixed(2)}`;
  };
  return [
    name,
    String(count),
    mean(({ sources: found }) => found).toFixed(0),
    mean(({ left }) => left).toFixed(0),
    mean(({ task }) => task.before).toFixed(3),
    mean(({ task }) => task.after).toFixed(3),
    points(({ genuine }) => genuine),
    points(({ ai }) => ai),
    `${outcomes.filter(({ isTaken }) => isTaken).length} of ${outcomes.length}`,
  ];
}
