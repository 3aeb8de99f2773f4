// What Linux says of the machine's processes and of its processors.
import { readFileSync, readdirSync } from 'node:fs';

/** Ticks of processor time in a second, as Linux shows them to programs on every machine. */
export const TICKS_PER_SECOND = 100;

/** A process at one moment. */
export interface Process {
  readonly pid: number;
  readonly parent: number;
  /** Since the machine's start, in ticks: sets a process apart from a later one of the same number. */
  readonly startTick: number;
  /** Processor time of the process and of the children that it has waited for, in ticks. */
  readonly ticks: number;
}

/** The whole machine at one moment. */
export interface Snapshot {
  /** Monotonic, in seconds. */
  readonly atSeconds: number;
  /** Processor time of all programs, and what the machine's host took away; since the machine's start, in ticks. */
  readonly busyTicks: number;
  readonly processes: readonly Process[];
}

/** Looks at the whole machine. */
export function takeSnapshot(): Snapshot {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const text = readIfThere(`/proc/${name}/stat`);
      return text === null ? [] : [parseProcess(text)];
    });
  const busyTicks = parseBusyTicks(readFileSync('/proc/stat', 'utf8'));
  return { atSeconds: performance.now() / 1000, busyTicks, processes };
}

/** Reads a line of `/proc/PID/stat`. */
export function parseProcess(text: string): Process {
  // The program's name stands in brackets and may hold blanks and brackets itself.
  const end = text.lastIndexOf(')');
  const fields = text.slice(end + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  return {
    pid: Number.parseInt(text, 10),
    parent: field(4),
    startTick: field(22),
    ticks: field(14) + field(15) + field(16) + field(17),
  };
}

/**
 * Reads `/proc/stat`: ticks of programs and those that the host of a virtual machine took. Interrupts are left out:
 * they belong to no process, and packets between the bench and a service are many of them.
 */
export function parseBusyTicks(text: string): number {
  const [, user = 0, nice = 0, system = 0, , , , , stolen = 0] = (text.split('\n')[0] ?? '')
    .split(/\s+/)
    .map(Number);
  return user + nice + system + stolen;
}

/** Whether a process was started with `name=value` in its environment; false if nobody may know. */
export function hasVariable(pid: number, name: string, value: string): boolean {
  return readIfThere(`/proc/${pid}/environ`)?.split('\0').includes(`${name}=${value}`) ?? false;
}

/** A file of a process, or null if the process has ended or belongs to somebody else. */
function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
