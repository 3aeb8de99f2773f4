// One set-up at a time in a folder: `npm start` and `npm test` begun together would install and compile over each other.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { announce, root } from './run.mjs';

/** Chosen: a set-up that finds nothing to do is over by then, and nobody needs to hear of it. */
const PATIENCE_MS = 1000;

/**
 * Waits until no other set-up runs in the project, and resolves to a function that lets the next one begin. The lock is
 * the kernel's, by the command `flock`: it ends with this process, however that ends. Where it can't be had (no such
 * command, a folder that can't be written), nothing is waited for.
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
