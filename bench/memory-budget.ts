// What the memory budget costs: checks the load mix with it and with one that nothing fills, in turn in one process.
// `node --import tsx bench/memory-budget.ts [PICTURES] [--memory MB] [--rounds N] [--seconds S]` prints the ratio of their
// throughputs. The budget is by default what a service takes. PICTURES is a folder; without one, the synthetic corpus.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { createChecker, type Checker } from '../src/check/checker.js';
import { defaultMemoryMb, MOST_MEMORY_MB } from '../src/engine/native/memory.js';
import { openCorpus } from './corpus/make.js';
import { runClosedLoop } from './load/closed-loop.js';
import { loadsOfCorpus, loadsOfFolder } from './loads.js';
import { describeMachine } from './machine.js';
import { median, ratioOfRounds } from './statistics.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    memory: { type: 'string', default: String(defaultMemoryMb()) },
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '20' },
  },
});
const seconds = Number(values.seconds);
const memoryMb = Number(values.memory);
const concurrency = 4 * availableParallelism();
const [folder] = positionals;
const loads =
  folder === undefined
    ? loadsOfCorpus(await openCorpus({ isQuick: false, onFile: () => undefined }))
    : await loadsOfFolder(folder, (line) => console.log(line));
const files = loads.mix.map((path) => readFileSync(path));
const open = (budgetMb: number): Promise<Checker> => createChecker({ device: 'cpu', memoryMb: budgetMb });
const [budgeted, free] = [await open(memoryMb), await open(MOST_MEMORY_MB)];
try {
  const rates: Record<'budgeted' | 'free', number[]> = { budgeted: [], free: [] };
  for (let round = 0; round < Number(values.rounds); round += 1) {
    // Who comes first changes from round to round: what the other leaves behind counts for both.
    const order = round % 2 === 0 ? (['budgeted', 'free'] as const) : (['free', 'budgeted'] as const);
    for (const who of order) rates[who].push(await measure(who === 'budgeted' ? budgeted : free));
  }
  report(rates);
} finally {
  await Promise.all([budgeted.close(), free.close()]);
}

/** Checks a second. */
async function measure(checker: Checker): Promise<number> {
  const { perSecond } = await runClosedLoop({
    concurrency,
    seconds,
    warmUpSeconds: seconds / 10,
    ask: (index) => checker.check(files[index % files.length]!),
  });
  return perSecond;
}

function report({ budgeted: within, free: without }: Record<'budgeted' | 'free', readonly number[]>): void {
  const { median: middle, least, greatest, rounds } = ratioOfRounds(within, without);
  const { inspected, memory } = budgeted.engine.stats();
  const percent = (share: number): string => `${(100 * share).toFixed(2)}%`;
  const { processor, cores, loadBefore } = describeMachine();
  console.log(
    `${processor}, ${cores} cores, load ${loadBefore[0]?.toFixed(1)} at the end; ${files.length} pictures, ${concurrency} callers at once`,
  );
  console.log(
    `a budget of ${memoryMb} MB: ${median(within).toFixed(2)} checks/s; free: ${median(without).toFixed(2)}`,
  );
  console.log(
    `ratio ${middle.toFixed(4)} (${least.toFixed(4)} to ${greatest.toFixed(4)}, ${rounds} rounds); ` +
      `${percent(memory.waits / inspected)} of ${inspected} pictures waited for memory`,
  );
  console.log('Headers are measured with either budget: the ratio tells what waiting costs.');
}
