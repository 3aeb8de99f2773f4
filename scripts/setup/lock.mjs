// Allows only one set-up at a time in a folder. Otherwise `npm start` and `npm test`, started together, would
// overwrite each other's packages and builds.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { announce, root } from './run.mjs';

/**
 * Time in milliseconds before a message says that the set-up is waiting. Chosen: a set-up that finds nothing
 * to do ends sooner, so waiting for it needs no message.
 */
const PATIENCE_MS = 1000;

/**
 * Waits until no other set-up runs in the project. Resolves to a function that releases the lock. The command
 * `flock` holds a lock of the kernel, which always ends with this process. Does not wait if locking is
 * impossible (`flock` missing or folder read-only).
 */
export async function lock(folder = join(root, '.setup')) {
  try {
    mkdirSync(folder, { recursive: true });
  } catch {
    return () => {};
  }
  // `cat` keeps the lock until this process closes its end of the pipe.
  const holder = spawn('flock', [join(folder, 'lock'), 'sh', '-c', 'echo locked && exec cat'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const patience = setTimeout(() => announce('waiting for another set-up in this folder'), PATIENCE_MS);
  await new Promise((resolve) => {
    holder.once('error', resolve).once('close', resolve);
    createInterface({ input: holder.stdout }).once('line', resolve);
  });
  clearTimeout(patience);
  return () => holder.stdin.end();
}
