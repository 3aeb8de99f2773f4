// Measurement of how much processor time other programs use while the bench runs.
import { randomUUID } from 'node:crypto';
import { cpus } from 'node:os';
import { TICKS_PER_SECOND, hasVariable, takeSnapshot, type Snapshot, type Process } from './processes.js';

/** Maximum share of each core that other programs may use before a measurement is doubtful. Chosen. */
export const MOST_OTHER_WORK = 0.3;

/** Returns whether other programs used so much of each core that a measurement is doubtful. */
export function isTooMuch(share: number | undefined): boolean {
  return share !== undefined && share > MOST_OTHER_WORK;
}

/**
 * Milliseconds between two readings. Chosen: short enough to miss little of a process that ends without a parent in
 * the bench, and long enough to cost almost nothing.
 */
const PERIOD_MS = 2000;

/**
 * Environment variable that every process started by the bench inherits, with a value per run. Its name lacks the
 * prefix of Telltale's settings, because Telltale rejects unknown settings.
 */
const MARK = 'BENCH_RUN';

/** Running watch. */
export interface Watch {
  /**
   * Returns the share of each core that other programs and the host machine used since the last lap, 0..1. Returns NaN
   * if no time has passed.
   */
  lap(): number;
  stop(): void;
}

/** Starts counting this process and every process that it starts from now on, including background processes. */
export function openOwnTime(): OwnTime {
  const run = randomUUID();
  process.env[MARK] = run;
  return new OwnTime(process.pid, ({ pid }) => hasVariable(pid, MARK, run));
}

/** Starts watching. */
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

/** State of the machine at one time, and the bench's own processor time. */
export type Moment = Pick<Snapshot, 'atSeconds' | 'busyTicks'> & { readonly ownTicks: number };

/**
 * Returns the share of each core that other programs used between two readings, 0..1. Returns NaN if no time passed
 * between them.
 */
export function otherWork(from: Moment, to: Moment, cores: number): number {
  const ticks = to.busyTicks - from.busyTicks - (to.ownTicks - from.ownTicks);
  const share = ticks / TICKS_PER_SECOND / ((to.atSeconds - from.atSeconds) * cores);
  // Two independent clocks may differ by one tick either way.
  return Number.isNaN(share) ? NaN : Math.min(1, Math.max(0, share));
}

/**
 * Decides whether a process whose parent is foreign belongs to the measured program, such as a server in the
 * background.
 */
export type IsOwnOrphan = (process: Process) => boolean;

/** Processor time of one family of processes, snapshot by snapshot. */
export class OwnTime {
  readonly #root: number;
  readonly #isOwnOrphan: IsOwnOrphan;
  /** Known decisions on processes with a foreign parent, because each is decided only once. */
  readonly #orphans = new Map<string, boolean>();
  /** Ticks, as last read, of own processes with a foreign parent. */
  #adrift = new Map<string, number>();
  #lostTicks = 0;

  /** Counts the process `root`, its descendants and its own orphans. */
  constructor(root: number, isOwnOrphan: IsOwnOrphan) {
    this.#root = root;
    this.#isOwnOrphan = isOwnOrphan;
  }

  /** Returns the ticks of all own processes since their start, including processes that have ended. */
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

  /** Keeps the ticks of orphans that ended. The ticks of other ended processes are added to their parent's. */
  #countLost(own: readonly Process[], isAdrift: (process: Process) => boolean): void {
    const alive = new Set(own.map(keyOf));
    for (const [key, ticks] of this.#adrift) if (!alive.has(key)) this.#lostTicks += ticks;
    this.#adrift = new Map(own.filter(isAdrift).map((process) => [keyOf(process), process.ticks]));
  }
}

const keyOf = ({ pid, startTick }: Process): string => `${pid} ${startTick}`;
