// Workers of scans in processes of their own, as operators run them, and how they die.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { endLeases } from './leases.js';
import type { ScanBench } from './scans.js';
import { startTelltale } from './telltale.js';

/** As many as a build has time for; SCAN_TEST_ITEMS=1000 asks for more, and for waits as they are in truth. */
const ASKED = process.env.SCAN_TEST_ITEMS;
/** Whether leases and outages are as long as in truth. */
export const HAS_TIME = ASKED !== undefined;
/** Items of a scan that something happens to. */
export const ITEMS = Number(ASKED ?? 24);

const PRELOAD = fileURLToPath(new URL('../preload/poison.mjs', import.meta.url));

/** Processes of one bench. */
export class ScanWorkers {
  readonly #bench: ScanBench;
  readonly #children: ChildProcess[] = [];

  constructor(bench: ScanBench) {
    this.#bench = bench;
  }

  /** Starts a worker; it crashes at an image whose last bytes, where decoders read no more, are `poison`. */
  spawn(poison?: string): ChildProcess {
    const [env, preloads] = poison === undefined ? [{}, []] : [{ POISON: poison }, [PRELOAD]];
    const child = startTelltale(['worker', '--private'], { env: { ...this.#bench.env, ...env }, preloads });
    child.stdout?.resume();
    child.stderr?.resume();
    this.#children.push(child);
    return child;
  }

  /** The turns that are somebody's. */
  countTaken(): Promise<number> {
    return this.#bench.service.database.run(async (queries) => {
      const [row] = await queries('telltale_jobs.job')
        .where({ state: 'active' })
        .count<{ count: number }[]>('* as count');
      return row!.count;
    });
  }

  /** What the dead had is theirs until its lease runs out: if there is no time for that, as if it was long ago. */
  async endLeases(): Promise<void> {
    if (!HAS_TIME) await endLeases(this.#bench.service.database);
  }

  killAll(): void {
    for (const child of this.#children) child.kill('SIGKILL');
  }
}

/** Sends a signal and waits for the end. */
export async function endWorker(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}
