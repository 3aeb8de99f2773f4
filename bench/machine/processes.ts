// What Linux says of the processes of the machine and of its processors.
import { readFileSync, readdirSync } from 'node:fs';

/** Ticks of processor time in a second, as Linux shows them to programs on every machine. */
export const TICKS_PER_SECOND = 100;

/** A process at one moment. */
export interface Process {
  readonly pid: number;
  readonly parent: number;
  /** Since the machine's start, in ticks: sets a process apart from a later one of the same number. */
  readonly startTick: number;
  /** Nobody has taken note of its end yet. */
  readonly isEnded: boolean;
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
  const processes = listProcesses();
  const busyTicks = parseBusyTicks(readFileSync('/proc/stat', 'utf8'));
  return { atSeconds: performance.now() / 1000, busyTicks, processes };
}

function listProcesses(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const text = readIfThere(`/proc/${name}/stat`);
      return text === null ? [] : [parseProcess(text)];
    });
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
    isEnded: 'ZX'.includes(fields[0] ?? ''),
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

/** Most memory that the process and its children have held at once, in MB, since their start (VmHWM, summed up). */
export function peakMemoryMbOf(pid: number): number {
  return familyOf([pid]).reduce((sum, member) => sum + readPeakMb(member.pid), 0);
}

/** Processor seconds of the process, its children and those of them that have ended. */
export function processorSecondsOf(pid: number): number {
  return familyOf([pid]).reduce((sum, { ticks }) => sum + ticks / TICKS_PER_SECOND, 0);
}

/** The process that `pid` was started by; 0 if there is none. */
export function parentOf(pid: number): number {
  return listProcesses().find((process) => process.pid === pid)?.parent ?? 0;
}

/** Those of `roots` that are there, and all below them. */
function familyOf(roots: readonly number[], processes = listProcesses()): Process[] {
  const family = processes.filter(({ pid }) => roots.includes(pid));
  for (const member of family)
    for (const process of processes)
      if (process.parent === member.pid && !family.includes(process)) family.push(process);
  return family;
}

function readPeakMb(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readIfThere(`/proc/${pid}/status`) ?? '')?.[1] ?? 0) / 1000;
}

/** Ends, at once, every process that was started with `name=value` in its environment, and all below it, but this one. */
export function killMarked(name: string, value: string): void {
  const processes = listProcesses();
  const marked = processes.filter(({ pid }) => hasVariable(pid, name, value)).map(({ pid }) => pid);
  for (const { pid } of familyOf(marked, processes)) if (pid !== process.pid) kill(pid);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
