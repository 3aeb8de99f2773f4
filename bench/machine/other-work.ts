// Measuring how much processor time other programs use while the bench runs.
import { randomUUID } from 'node:crypto';
import { cpus } from 'node:os';
import { TICKS_PER_SECOND, hasVariable, takeSnapshot, type Snapshot, type Process } from './processes.js';

/** Maximum share of each core that other programs may use. Above that, a measurement is doubtful. Chosen by hand. */
export const MAX_OTHER_WORK = 0.3;

/** Returns true if other programs used too much processor time for a reliable measurement. */
export function isTooMuch(share: number | undefined): boolean {
  return share !== undefined && share > MAX_OTHER_WORK;
}

/**
 * Milliseconds between two readings of the processes. Chosen: frequent enough to see most short-lived background
 * processes, and rare enough to cost almost nothing.
 */
const PERIOD_MS = 2000;

/**
 * Environment variable that marks all processes that the bench starts, with a value per run. They inherit it. Its name
 * lacks the prefix of Telltale's settings, because Telltale rejects unknown settings.
 */
const MARK = 'BENCH_RUN';

/** Measurement of other programs' work, while it runs. */
export interface Watch {
  /**
   * Returns the share of each core that other programs and the host machine used since the last call, 0..1. Returns
   * NaN if no time has passed.
   */
  lap(): number;
  stop(): void;
}

/**
 * Starts counting the processor time of this process and of every process that it starts from now on, including
 * background processes.
 */
export function openOwnTime(): OwnTime {
  const run = randomUUID();
  process.env[MARK] = run;
  return new OwnTime(process.pid, ({ pid }) => hasVariable(pid, MARK, run));
}

export function watchOtherWork(): Watch {
  const own = openOwnTime();
  const takeMoment = (): Moment => {
    const snapshot = takeSnapshot();
    return { ...snapshot, ownTicks: own.add(snapshot.processes) };
  };
  let last = takeMoment();
  const timer = setInterval(takeMoment, PERIOD_MS).unref();
  return {
    lap() {
      const now = takeMoment();
      const share = otherWork(last, now, cpus().length);
      last = now;
      return share;
    },
    stop: () => clearInterval(timer),
  };
}

/** Processor time of the whole machine and of the bench itself, at one time. */
export type Moment = Pick<Snapshot, 'atSeconds' | 'busyTicks'> & { readonly ownTicks: number };

/**
 * Returns the share of each core that other programs used between two readings, 0..1. Returns NaN if no time passed
 * between them.
 */
export function otherWork(from: Moment, to: Moment, cores: number): number {
  const ticks = to.busyTicks - from.busyTicks - (to.ownTicks - from.ownTicks);
  const share = ticks / TICKS_PER_SECOND / ((to.atSeconds - from.atSeconds) * cores);
  // The share is limited to 0..1, because the two clocks may differ by one tick.
  return Number.isNaN(share) ? NaN : Math.min(1, Math.max(0, share));
}

/**
 * Returns true if a process whose parent is a foreign process still belongs to the bench, such as a server in the
 * background.
 */
export type IsOwnOrphan = (process: Process) => boolean;

/** Processor time of the bench's own processes, added up over several readings of all processes. */
export class OwnTime {
  readonly #root: number;
  readonly #isOwnOrphan: IsOwnOrphan;
  /** Earlier results of isOwnOrphan, so that each process is examined only once. */
  readonly #orphans = new Map<string, boolean>();
  /** Ticks of own processes with a foreign parent, from the last reading. */
  #adrift = new Map<string, number>();
  #lostTicks = 0;

  /** Counts the process `root`, its descendants, and other processes for which `isOwnOrphan` returns true. */
  constructor(root: number, isOwnOrphan: IsOwnOrphan) {
    this.#root = root;
    this.#isOwnOrphan = isOwnOrphan;
  }

  /**
   * Adds a reading of all processes. Returns the ticks of all own processes since their start, including processes
   * that have ended.
   */
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

  /**
   * Remembers the ticks of ended processes with a foreign parent. If another process ends, Linux adds its ticks to its
   * parent's.
   */
  #countLost(own: readonly Process[], isAdrift: (process: Process) => boolean): void {
    const alive = new Set(own.map(keyOf));
    for (const [key, ticks] of this.#adrift) if (!alive.has(key)) this.#lostTicks += ticks;
    this.#adrift = new Map(own.filter(isAdrift).map((process) => [keyOf(process), process.ticks]));
  }
}

const keyOf = ({ pid, startTick }: Process): string => `${pid} ${startTick}`;
