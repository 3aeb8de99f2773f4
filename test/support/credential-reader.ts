// Keeps processes that read Content Credentials from starting.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** Returns the identifiers of this process's children that read Content Credentials. */
function findReaders(): number[] {
  return readdirSync('/proc/self/task')
    .flatMap((thread) => readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' '))
    .map(Number)
    .filter((pid) => pid > 0 && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('reading-process'));
}

/**
 * Ends the running readers. Until the returned function is called, no reader can start, as in a program without the
 * permission for child processes.
 */
export async function preventReaders(): Promise<() => void> {
  Object.defineProperty(process, 'permission', { configurable: true, value: { has: () => false } });
  const pids = findReaders();
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  // Node removes an ended child from /proc when it notices the end.
  while (pids.some((pid) => existsSync(`/proc/${pid}`))) await setTimeout(10);
  return () => {
    Reflect.deleteProperty(process, 'permission');
  };
}
