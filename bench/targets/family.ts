// A process and everything below it, as /proc tells.
import { readFileSync, readdirSync } from 'node:fs';

/** Ticks of /proc's processor times in a second: the kernel's constant on every Linux that Node runs on. */
const TICKS = 100;

/** Most memory that the process and its children have held at once, in MB, since their start (VmHWM, summed up). */
export function peakMemoryMbOf(pid: number): number {
  return familyOf(pid).reduce((sum, member) => sum + readPeakMb(member), 0);
}

/** Processor seconds of the process, its children and those of them that have ended. */
export function processorSecondsOf(pid: number): number {
  return familyOf(pid).reduce((sum, member) => sum + readTicks(member) / TICKS, 0);
}

/** The process that `pid` was started by; 0 if there is none. */
export function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)/m.exec(read(pid, 'status'))?.[1] ?? 0);
}

function familyOf(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry)))
    parents.set(Number(name), parentOf(Number(name)));
  const family = [pid];
  for (const member of family)
    for (const [child, parent] of parents) if (parent === member) family.push(child);
  return family;
}

function readPeakMb(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(read(pid, 'status'))?.[1] ?? 0) / 1000;
}

/** Its own, and those of children that it has waited for. */
function readTicks(pid: number): number {
  // The name, in brackets, may have spaces and brackets itself.
  const fields = read(pid, 'stat')
    .replace(/^.*\) /s, '')
    .split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
}

function read(pid: number, file: 'status' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
