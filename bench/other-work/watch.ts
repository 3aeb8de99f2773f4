// Watches how much of the machine other programs take while the bench runs.
import { randomUUID } from 'node:crypto';
import { cpus } from 'node:os';
import { OwnTime } from './own-time.js';
import { TICKS_PER_SECOND, hasVariable, takeSnapshot, type Snapshot } from './processes.js';

/** Other work above this, a core, makes a measurement doubtful. Chosen. */
export const MOST_OTHER_WORK = 0.3;

/** Whether so much other work, a core, makes a measurement doubtful. */
export function isTooMuch(share: number | undefined): boolean {
  return share !== undefined && share > MOST_OTHER_WORK;
}

/** Often enough that little is lost of a process that ends far from the bench, and rare enough to cost nothing. */
const PERIOD_MS = 2000;

/** Every process that the bench starts inherits this variable, with a value of the run; Telltale refuses settings that it does not know. */
const MARK = 'BENCH_RUN';

/** A watch under way. */
export interface Watch {
  /** Share of each core that other programs and the machine's host took since the last lap, 0..1; NaN if that was just now. */
  lap(): number;
  stop(): void;
}

/** Counts this process and what it starts from now on, in the background or not. */
export function openOwnTime(): OwnTime {
  const run = randomUUID();
  process.env[MARK] = run;
  return new OwnTime(process.pid, ({ pid }) => hasVariable(pid, MARK, run));
}

/** Begins to watch. */
export function watchOtherWork(): Watch {
  const own = openOwnTime();
  const look = (): Moment => {
    const snapshot = takeSnapshot();
    return { ...snapshot, ownTicks: own.add(snapshot.processes) };
  };
  let last = look();
  const timer = setInterval(look, PERIOD_MS).unref();
  return {
    lap() {
      const now = look();
      const share = otherWork(last, now, cpus().length);
      last = now;
      return share;
    },
    stop: () => clearInterval(timer),
  };
}

/** The machine at one moment, and what is the bench's own of it. */
export type Moment = Pick<Snapshot, 'atSeconds' | 'busyTicks'> & { readonly ownTicks: number };

/** Share of each core that others took between two moments, 0..1; NaN between moments that are one. */
export function otherWork(from: Moment, to: Moment, cores: number): number {
  const ticks = to.busyTicks - from.busyTicks - (to.ownTicks - from.ownTicks);
  const share = ticks / TICKS_PER_SECOND / ((to.atSeconds - from.atSeconds) * cores);
  // Two clocks that tick on their own may differ by a tick either way.
  return Number.isNaN(share) ? NaN : Math.min(1, Math.max(0, share));
}
