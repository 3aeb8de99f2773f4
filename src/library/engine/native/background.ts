// Priorities: what computes for the background gives way, what others wait for does not.
import { readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

/**
 * Runs `start` and gives the threads that it made the lowest priority. The thread of JavaScript keeps its own. It holds
 * locks in the database that checks over HTTP wait for, and would hold them as long as nobody lets it run. Elsewhere
 * than on Linux, where a thread has no priority of its own, the whole process gives way.
 */
export async function inBackground<T>(start: () => Promise<T>): Promise<T> {
  if (process.platform !== 'linux') {
    setPriority(constants.priority.PRIORITY_LOW);
    return start();
  }
  const before = new Set(listThreads());
  const started = await start();
  for (const thread of listThreads()) if (!before.has(thread)) giveWay(thread);
  return started;
}

function listThreads(): number[] {
  return readdirSync('/proc/self/task').map(Number);
}

function giveWay(thread: number): void {
  try {
    setPriority(thread, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended meanwhile.
  }
}
