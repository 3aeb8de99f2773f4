// Adds up the processor time of a program and of everything that it starts.
import type { Process } from './processes.js';

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
