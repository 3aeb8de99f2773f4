// What early ends save: `node --import tsx bench/early-ends.ts [PICTURES...] [--most N]` checks each picture as the models
// end it and by all views, in turn, and prints the processor time of both. PICTURES are those of `telltale models eval`: a
// CSV file, or folders with real/ and ai/; without any, the synthetic corpus, all of it genuine.
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { createChecker, type Checker } from '../src/check/checker.js';
import { loadDataset, type LabelledPicture } from '../src/calibration/evaluation/dataset.js';
import { openCorpus } from './corpus/make.js';
import { describeMachine } from './machine.js';
import { GOALS, showBound } from './goals.js';

/** Of pictures that people send. */
const GENUINE_SHARE = 0.9;

/** One picture, checked both ways. */
interface Pair {
  readonly isAi: boolean;
  readonly views: number;
  readonly allViews: number;
  readonly earlyMs: number;
  readonly allMs: number;
  readonly isSame: boolean;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { most: { type: 'string', default: '200' } },
});
const pictures = await collect();
// One thread: processor time then is what a picture takes, whatever else runs on the machine.
const early = await createChecker({ device: 'cpu', threads: 1 });
const all = await createChecker({ device: 'cpu', threads: 1, views: early.engine.views });
try {
  const pairs: Pair[] = [];
  for (const { path, isAi } of pictures) {
    const bytes = await readFile(path);
    const pair = await compare(bytes, isAi).catch(() => null);
    if (pair !== null) pairs.push(pair);
  }
  report(pairs);
} finally {
  await Promise.all([early.close(), all.close()]);
}

/** The same number of each class, or of the class that there is, spread over all. */
async function collect(): Promise<readonly Pick<LabelledPicture, 'path' | 'isAi'>[]> {
  if (positionals.length === 0) {
    const corpus = await openCorpus({ isQuick: false, onFile: () => undefined });
    return corpus.filter(({ megapixels }) => megapixels <= 4).map(({ path }) => ({ path, isAi: false }));
  }
  const named = await loadDataset(positionals, new AbortController().signal);
  return [false, true].flatMap((isAi) => {
    const mine = named.filter((picture) => picture.isAi === isAi);
    const step = Math.max(1, Math.floor(mine.length / Number(values.most)));
    return mine.filter((_, index) => index % step === 0).slice(0, Number(values.most));
  });
}

async function compare(bytes: Buffer, isAi: boolean): Promise<Pair> {
  const [first, second] = [await measure(early, bytes), await measure(all, bytes)];
  return {
    isAi,
    views: first.views,
    allViews: second.views,
    earlyMs: first.ms,
    allMs: second.ms,
    isSame: first.isAi === second.isAi,
  };
}

async function measure(
  checker: Checker,
  bytes: Buffer,
): Promise<{ ms: number; views: number; isAi: boolean }> {
  const before = process.cpuUsage();
  const { views, isAi } = await checker.check(bytes);
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1000, views, isAi };
}

function report(pairs: readonly Pair[]): void {
  const { processor } = describeMachine();
  const classes = [false, true].map((isAi) => pairs.filter((pair) => pair.isAi === isAi));
  const present = classes.filter((mine) => mine.length > 0);
  const mean = (read: (pair: Pair) => number): number[] => {
    const means = present.map((mine) => mine.reduce((sum, pair) => sum + read(pair), 0) / mine.length);
    const [genuine, ai] = means;
    return ai === undefined ? means : [...means, GENUINE_SHARE * genuine! + (1 - GENUINE_SHARE) * ai];
  };
  const row = (name: string, numbers: readonly number[], digits: number): void =>
    console.log(`| ${name} | ${numbers.map((number) => number.toFixed(digits)).join(' | ')} |`);
  const names = [...present.map((mine) => `${mine.length} ${mine[0]!.isAi ? 'AI' : 'genuine'}`)];
  console.log(`A thread of an ${processor}\n`);
  console.log(`| | ${[...names, ...(names.length > 1 ? ['nine to one'] : [])].join(' | ')} |`);
  console.log(`|---|${'---|'.repeat(mean(() => 0).length)}`);
  for (const views of [...new Set(pairs.map((pair) => pair.views))].sort((a, b) => a - b))
    row(
      `show ${views} views`,
      mean((pair) => Number(pair.views === views)),
      3,
    );
  const [some, whole] = [mean((pair) => pair.earlyMs), mean((pair) => pair.allMs)];
  row('views', mean((pair) => pair.views), 2); // prettier-ignore
  row('processor time, ms', some, 1);
  row('by all views, ms', whole, 1);
  row(`the one ÷ the other (goal ${showBound(GOALS.costOfEarlyEnds)})`, some.map((ms, at) => ms / whole[at]!), 3); // prettier-ignore
  row(
    'another verdict',
    mean((pair) => Number(!pair.isSame)),
    4,
  );
}
