// Starts scan workers in their own processes, as operators run them, and ends them in various ways.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { endLeases } from './leases.js';
import type { ScanBench } from './scans.js';
import { startTelltale } from './telltale.js';

/**
 * Number of images requested by SCAN_TEST_ITEMS. With 1000, waits are as long as in production. Default: few
 * images, so that a build is fast.
 */
const ASKED = process.env.SCAN_TEST_ITEMS;
/** True if leases and outages last as long as in production. */
export const HAS_TIME = ASKED !== undefined;
/** Number of images in a scan that a test disturbs. */
export const ITEMS = Number(ASKED ?? 24);

const PRELOAD = fileURLToPath(new URL('../preload/poison.mjs', import.meta.url));

/** Worker processes of one test. */
export class ScanWorkers {
  readonly #bench: ScanBench;
  readonly #children: ChildProcess[] = [];

  constructor(bench: ScanBench) {
    this.#bench = bench;
  }

  /**
   * Starts a worker. With `poison`, it crashes at an image that ends with these bytes, which decoders ignore.
   */
  spawn(poison?: string): ChildProcess {
    const [env, preloads] = poison === undefined ? [{}, []] : [{ POISON: poison }, [PRELOAD]];
    const child = startTelltale(['worker', '--private'], { env: { ...this.#bench.env, ...env }, preloads });
    child.stdout?.resume();
    child.stderr?.resume();
    this.#children.push(child);
    return child;
  }

  /** Returns the number of batches that workers are checking. */
  countTaken(): Promise<number> {
    return this.#bench.service.database.run(async (queries) => {
      const [row] = await queries('telltale_jobs.job')
        .where({ state: 'active' })
        .count<{ count: number }[]>('* as count');
      return row!.count;
    });
  }

  /** Makes the leases of dead workers expire, unless the test has time to wait for them. */
  async endLeases(): Promise<void> {
    if (!HAS_TIME) await endLeases(this.#bench.service.database);
  }

  killAll(): void {
    for (const child of this.#children) child.kill('SIGKILL');
  }
}

/** Sends a signal and waits for the process to end. */
export async function endWorker(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}
