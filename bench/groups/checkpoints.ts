// SQLite's log written back on the commit that finds it long, against Telltale's thread: the slowest of a thousand checks.
import type { OpenLoopResult } from '../load/http-open-loop.js';
import { show } from '../report/numbers.js';
import type { Section } from '../report/section.js';
import { whyNoTelltale } from '../targets/telltale.js';
import type { Context } from './context.js';

/** Chosen: half of what one process takes, so that nothing but the disk makes anybody wait. */
const RATE_PER_SECOND = 100;

interface Found {
  readonly disk: string;
  readonly isOnCommit: boolean;
  readonly round: number;
  readonly loop: OpenLoopResult;
}

/** Runs the group: both ways in turn, on a quiet disk and on a busy one. */
export async function measureCheckpoints({ runner, loads, durations }: Context): Promise<Section> {
  const missing = whyNoTelltale('sqlite');
  if (missing !== null) {
    runner.skip('checkpoints', 'telltale serve', missing);
    return { title: 'Checkpoints', tables: [], goals: [], plots: [] };
  }
  const files = loads.memory.slice(0, 1);
  const found: Found[] = [];
  for (const isDiskBusy of [false, true])
    for (let round = 1; round <= durations.checkpointRounds; round += 1)
      for (const isOnCommit of [true, false]) {
        const disk = isDiskBusy ? 'busy' : 'quiet';
        const name = `${isOnCommit ? 'on commit' : 'from a thread'}, ${disk} disk, round ${round}`;
        const loop = await runner.run('checkpoints', name, 'checkpoints', {
          files,
          isOnCommit,
          isDiskBusy,
          ratePerSecond: RATE_PER_SECOND,
          seconds: durations.checkpointSeconds,
        });
        if (loop) found.push({ disk, isOnCommit, round, loop });
      }
  return {
    title: 'Checkpoints',
    tables: [
      {
        title: `POST /v1/check on SQLite, ${RATE_PER_SECOND} a second, engine switched off: the log written back on commit (SQLite's default) or from a thread (Telltale's way)`,
        head: [
          'disk',
          'round',
          'written back',
          'checks',
          'p50 ms',
          'p99 ms',
          'p99.9 ms',
          'slowest ms',
          'failures',
        ],
        rows: found.map(({ disk, round, isOnCommit, loop: { checks, latency, failures, refusals } }) => [
          disk,
          String(round),
          isOnCommit ? 'on commit' : 'from a thread',
          String(checks),
          ...[latency.p50, latency.p99, latency.p999, latency.max].map(show),
          String(failures + refusals),
        ]),
      },
    ],
    goals: [],
    plots: [],
  };
}
