// Functions for all steps of the set-up: run commands, report progress, and remember finished steps.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, openSync, readFileSync, readdirSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Path of the project folder. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Error of a failed set-up step. The message tells the user what to do. */
export class SetupError extends Error {}

/**
 * The terminal, because npm hides the output of an install script until it fails; null if the output is
 * visible or there is no terminal.
 */
const terminal = openTerminal();

function openTerminal() {
  const isHidden = /install$/.test(process.env.npm_lifecycle_event ?? '') && !process.stderr.isTTY;
  try {
    return isHidden ? openSync('/dev/tty', 'w') : null;
  } catch {
    return null;
  }
}

/**
 * Prints the name of the running step on stderr, and on the terminal if npm hides stderr. Returns the name.
 * Does not use stdout, which belongs to the command that runs after the set-up.
 */
export function announce(text) {
  const line = `telltale set-up: ${text}`;
  console.error(line);
  // Overwrites npm's progress spinner, which has its own line.
  if (terminal !== null) writeSync(terminal, `\r${line}\n`);
  return text;
}

/** Time in milliseconds between reports of progress. Chosen: users don't yet believe that the step hangs. */
const REMINDER_MS = 10_000;

/**
 * Runs a command in the project's folder with its output on stderr. Rejects with SetupError if it fails.
 * Reports the progress of a long `step`. With `tellsProgress`, the progress is the last line of the command's
 * standard output, which is hidden. Otherwise the optional `findProgress` returns the progress.
 */
export async function run(
  command,
  args,
  { step = command, tellsProgress = false, findProgress, reminderMs = REMINDER_MS, ...options } = {},
) {
  let latest = '';
  const startMs = Date.now();
  const reminder = setInterval(() => {
    const seconds = Math.round((Date.now() - startMs) / 1000);
    const progress = findProgress?.() ?? latest;
    announce(`still ${step}, ${seconds} s${progress && `: ${progress}`}`);
  }, reminderMs);
  const fault = await new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', tellsProgress ? 'pipe' : 2, 2],
      ...options,
      env: { ...process.env, ...options.env },
    });
    if (tellsProgress)
      createInterface({ input: child.stdout }).on('line', (line) => (latest = line.trim() || latest));
    child.once('error', ({ message }) => resolve(message));
    child.once('close', (status) => resolve(status === 0 ? null : `exit status ${status}`));
  });
  clearInterval(reminder);
  if (fault !== null) throw new SetupError(`'${command} ${args.join(' ')}' failed (${fault})`);
}

/** Waits until all concurrent steps have ended. Rejects with the error of the first step that failed. */
export async function beside(...steps) {
  for (const { status, reason } of await Promise.allSettled(steps)) if (status === 'rejected') throw reason;
}

/** Returns the standard output of a command; null if it fails. */
export function outputOf(command, args) {
  const { status, stdout } = spawnSync(command, args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout : null;
}

/** Names of folders that are ignored, because they are made from sources. */
const MADE = ['dist', 'node_modules'];

/** Returns a hash of the names and contents of all sources below `paths`, equal in all checkouts. */
export function fingerprint(paths, extra = '') {
  const hash = createHash('sha256').update(extra);
  const visit = (path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    const name = relative(root, path);
    if (!stat) hash.update(`${name} absent\n`);
    else if (stat.isDirectory()) {
      for (const entry of readdirSync(path).sort()) if (!MADE.includes(entry)) visit(join(path, entry));
    } else hash.update(`${name} ${stat.size}\n`).update(readFileSync(path));
  };
  for (const path of paths) visit(join(root, path));
  return hash.digest('hex');
}

const stampOf = (step) => join(root, '.setup', `${step}.stamp`);

/** Returns whether `step` was finished for sources with the hash `digest`. */
export function isDone(step, digest) {
  try {
    return readFileSync(stampOf(step), 'utf8') === digest;
  } catch {
    return false;
  }
}

/** Remembers that `step` was finished for sources with the hash `digest`. */
export function markDone(step, digest) {
  mkdirSync(dirname(stampOf(step)), { recursive: true });
  writeFileSync(stampOf(step), digest);
}
