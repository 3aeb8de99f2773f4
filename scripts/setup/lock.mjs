// Lock that allows one set-up at a time in a folder. Otherwise `npm start` and `npm test` started together would
// overwrite each other's packages and builds.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { announce, root } from './run.mjs';

/**
 * Milliseconds before a message says that the set-up is waiting. Chosen: a set-up without work ends sooner, and its
 * wait needs no message.
 */
const PATIENCE_MS = 1000;

/**
 * Waits until no other set-up runs in the project. Resolves to a function that releases the lock. The command `flock`
 * holds a kernel lock, which ends with this process in every case. Doesn't wait if locking is impossible (command
 * missing or folder not writable).
 */
export async function lock(folder = join(root, '.setup')) {
  try {
    mkdirSync(folder, { recursive: true });
  } catch {
    return () => {};
  }
  // `cat` holds the lock until this end of its pipe is closed.
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
