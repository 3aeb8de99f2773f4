// Reading the machine's processes and their processor time, as Linux reports them.
import { readFileSync, readdirSync } from 'node:fs';

/** Ticks of processor time per second. Linux uses this unit for programs on every machine. */
export const TICKS_PER_SECOND = 100;

export interface Process {
  readonly pid: number;
  readonly parent: number;
  /**
   * Start time in ticks since the machine's start. Distinguishes the process from a later one with the same number.
   */
  readonly startTick: number;
  /** True if the process has ended and its parent has not read its status yet. */
  readonly isEnded: boolean;
  /** Processor time in ticks, of the process and of its children that have ended. */
  readonly ticks: number;
}

export interface Snapshot {
  /** Seconds on a clock that never goes back. */
  readonly atSeconds: number;
  /**
   * Ticks since the machine's start in which programs ran, or in which the host of a virtual machine took the
   * processor.
   */
  readonly busyTicks: number;
  readonly processes: readonly Process[];
}

/** Reads all processes and the processor time of the machine. */
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

/** Parses `/proc/PID/stat`, which describes one process. */
export function parseProcess(text: string): Process {
  // The program's name is in brackets and may itself contain blanks and brackets.
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
 * Parses `/proc/stat`. Returns the ticks that programs used or the host of a virtual machine took. Interrupts are left
 * out: they belong to no process, and network traffic between the bench and a service causes many.
 */
export function parseBusyTicks(text: string): number {
  const [, user = 0, nice = 0, system = 0, , , , , stolen = 0] = (text.split('\n')[0] ?? '')
    .split(/\s+/)
    .map(Number);
  return user + nice + system + stolen;
}

/**
 * Returns true if a process was started with `name=value` in its environment. Returns false if the environment is
 * unreadable.
 */
export function hasVariable(pid: number, name: string, value: string): boolean {
  return readIfThere(`/proc/${pid}/environ`)?.split('\0').includes(`${name}=${value}`) ?? false;
}

/** Reads a file. Returns null if the process has ended or belongs to another user. */
function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Returns the highest memory use (VmHWM) of the process and its running descendants together, in MB. */
export function peakMemoryMbOf(pid: number): number {
  return familyOf([pid]).reduce((sum, member) => sum + readPeakMb(member.pid), 0);
}

/** Returns the processor seconds of the process, its descendants, and their children that have ended. */
export function processorSecondsOf(pid: number): number {
  return familyOf([pid]).reduce((sum, { ticks }) => sum + ticks / TICKS_PER_SECOND, 0);
}

/** Returns the parent of the process `pid`. Returns 0 if it is unknown. */
export function parentOf(pid: number): number {
  return listProcesses().find((process) => process.pid === pid)?.parent ?? 0;
}

/** Returns those processes among `roots` that are running, and all their descendants. */
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

/**
 * Kills every process that was started with `name=value` in its environment, and all descendants, except this process.
 */
export function killMarked(name: string, value: string): void {
  const processes = listProcesses();
  const marked = processes.filter(({ pid }) => hasVariable(pid, name, value)).map(({ pid }) => pid);
  for (const { pid } of familyOf(marked, processes)) if (pid !== process.pid) kill(pid);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
