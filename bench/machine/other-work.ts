// Watches how much of the machine other programs take while the bench runs.
import { randomUUID } from 'node:crypto';
import { cpus } from 'node:os';
import { TICKS_PER_SECOND, hasVariable, takeSnapshot, type Snapshot, type Process } from './processes.js';

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

/** Whether a process without an own parent belongs to the program all the same, as a server in the background does. */
export type IsOwnOrphan = (process: Process) => boolean;

/** The processor time of one family of processes, snapshot by snapshot. */
export class OwnTime {
  readonly #root: number;
  readonly #isOwnOrphan: IsOwnOrphan;
  /** Whether each process without an own parent belongs here: asked once. */
  readonly #orphans = new Map<string, boolean>();
  /** Last seen ticks of own processes whose parent is somebody else's. */
  #adrift = new Map<string, number>();
  #lostTicks = 0;

  /** Of the process `root`, its descendants and own orphans. */
  constructor(root: number, isOwnOrphan: IsOwnOrphan) {
    this.#root = root;
    this.#isOwnOrphan = isOwnOrphan;
  }

  /** Ticks of all own processes since each one's start, those that ended included. */
  add(processes: readonly Process[]): number {
    const byPid = new Map(processes.map((process) => [process.pid, process]));
    const known = new Map<number, boolean>([[this.#root, true]]);
    const isOwn = (process: Process): boolean => {
      const before = known.get(process.pid);
      if (before !== undefined) return before;
      const parent = byPid.get(process.parent);
      const answer = (parent !== undefined && isOwn(parent)) || this.#isOrphan(process);
      known.set(process.pid, answer);
      return answer;
    };
    const own = processes.filter(isOwn);
    this.#countLost(own, (process) => process.pid !== this.#root && known.get(process.parent) !== true);
    return own.reduce((sum, { ticks }) => sum + ticks, this.#lostTicks);
  }

  #isOrphan(process: Process): boolean {
    const key = keyOf(process);
    const before = this.#orphans.get(key);
    if (before !== undefined) return before;
    const answer = this.#isOwnOrphan(process);
    this.#orphans.set(key, answer);
    return answer;
  }

  /** The time of a child that ends goes over to its parent; that of an orphan would be gone. */
  #countLost(own: readonly Process[], isAdrift: (process: Process) => boolean): void {
    const alive = new Set(own.map(keyOf));
    for (const [key, ticks] of this.#adrift) if (!alive.has(key)) this.#lostTicks += ticks;
    this.#adrift = new Map(own.filter(isAdrift).map((process) => [keyOf(process), process.ticks]));
  }
}

const keyOf = ({ pid, startTick }: Process): string => `${pid} ${startTick}`;
