// Lowering the priority of threads that do background work.
import { readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

/**
 * Runs `start` and gives the threads that it creates the lowest priority. The JavaScript thread keeps its
 * priority, because it holds database locks that checks over HTTP wait for. Systems other than Linux have no
 * thread priorities, so there the whole process gets the lowest.
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
    // The thread has ended since it was listed.
  }
}
