/**
 * Soak test of a real service on SQLite: well-behaved callers first run alone, then together with hostile callers.
 * `node --import tsx bench/soak/main.ts [--minutes 20] [--without NAME ...]` prints one table for each of the two
 * kinds of callers. `--without` leaves out a kind of hostile callers by its name in the table. The exit status is 1 if
 * the p99 of a well-behaved caller is at least three times as long with hostile callers, or if more of its requests
 * failed.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeMachine } from '../machine/machine.js';
import { show } from '../report/section.js';
import { summarize } from '../statistics.js';
import { goodCallers, listen, type ResponseStats } from './good.js';
import { startAttack, type Harm } from './hostile.js';
import { setScene } from './scene.js';
import type { Serving } from './service.js';

/** Share of the time in which well-behaved callers run alone. */
const ALONE_SHARE = 0.25;
/** Factor by which hostile callers may lengthen a p99. From this factor on, the test fails. */
const MAX_GROWTH = 3;

async function run(minutes: number, without: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'telltale-soak-'));
  const service = fork(fileURLToPath(new URL('service.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
  });
  try {
    service.send(folder);
    const [serving] = (await once(service, 'message')) as [Serving];
    const scene = await setScene(serving);
    const callers = await goodCallers(scene);
    await listen(scene, callers, 3);
    const statsAlone = await listen(scene, callers, minutes * 60 * ALONE_SHARE);
    const attack = await startAttack(scene, without);
    const statsUnderAttack = await listen(scene, callers, minutes * 60);
    const harm = await attack.stop();
    scene.close();
    report(minutes, statsAlone, statsUnderAttack, harm);
  } finally {
    service.disconnect();
    await once(service, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
}

function report(
  minutes: number,
  statsAlone: ReadonlyMap<string, ResponseStats>,
  statsUnderAttack: ReadonlyMap<string, ResponseStats>,
  harm: Harm,
): void {
  const { processor, cores, commit } = describeMachine();
  console.log(`${minutes} min on ${processor}, ${cores} cores, at ${commit.slice(0, 7)}\n`);
  console.log(
    '| good caller | answers alone | p50 ms | p99 ms | failures | beside hostile ones | p50 ms | p99 ms | failures | p99 ÷ p99 |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|---|');
  for (const [name, before] of statsAlone) {
    const after = statsUnderAttack.get(name) ?? { timesMs: [], failures: 0 };
    const [first, second] = [summarize(before.timesMs), summarize(after.timesMs)];
    const growth = second.p99 / first.p99;
    // Growth is NaN if there are too few responses to compute a p99. This counts as failure.
    if (!(growth < MAX_GROWTH) || after.failures > before.failures) process.exitCode = 1;
    const side = ({ count, p50, p99 }: typeof first, { failures }: ResponseStats): string =>
      [count, show(p50), show(p99), failures].join(' | ');
    console.log(`| ${name} | ${side(first, before)} | ${side(second, after)} | ${growth.toFixed(2)} |`);
  }
  console.log('\n| hostile callers | outcomes: status and how often |\n|---|---|');
  for (const [name, outcomes] of harm)
    console.log(
      `| ${name} | ${[...outcomes].map(([outcome, times]) => `${outcome}: ${times}`).join(', ')} |`,
    );
}

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    without: { type: 'string', multiple: true, default: [] },
  },
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error(`Expected a number of minutes but received '${values.minutes}'`);
await run(minutes, values.without);
