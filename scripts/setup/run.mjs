// How every set-up step runs a command and remembers that it was done.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, openSync, readFileSync, readdirSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** A step that can't be done; its message tells a person what to do. */
export class SetupError extends Error {}

/** The terminal, where npm keeps an install script's output to itself until it fails; null where it is seen, or there is none. */
const terminal = openTerminal();

function openTerminal() {
  const isHidden = /install$/.test(process.env.npm_lifecycle_event ?? '') && !process.stderr.isTTY;
  try {
    return isHidden ? openSync('/dev/tty', 'w') : null;
  } catch {
    return null;
  }
}

/** Says on stderr, and on a terminal that does not see it, which step runs, and gives it back: the command's own output stays alone on stdout. */
export function announce(text) {
  const line = `telltale set-up: ${text}`;
  console.error(line);
  // npm turns on its own line meanwhile.
  if (terminal !== null) writeSync(terminal, `\r${line}\n`);
  return text;
}

/** Chosen: before anybody takes a step for hung. */
const REMINDER_MS = 10_000;

/**
 * Runs a command in the project's folder with its output on stderr; rejects with SetupError where it fails. If it takes
 * long, it is said of `step` where it stands. With `tellsProgress` that is the command's latest line of standard output,
 * which is shown no other way; else what `findProgress` finds, if it is given.
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

/** Waits for steps that run beside each other until all have ended; rejects as the first of them that failed. */
export async function beside(...steps) {
  for (const { status, reason } of await Promise.allSettled(steps)) if (status === 'rejected') throw reason;
}

/** The standard output of a command, or null if it fails. */
export function outputOf(command, args) {
  const { status, stdout } = spawnSync(command, args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout : null;
}

/** Folders of what is made from sources. */
const MADE = ['dist', 'node_modules'];

/** Returns a digest of the names and contents of every source below `paths`, which is the same in every checkout. */
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

/** Whether `step` was last finished in the state `digest`. */
export function isDone(step, digest) {
  try {
    return readFileSync(stampOf(step), 'utf8') === digest;
  } catch {
    return false;
  }
}

/** Remembers that `step` is finished in the state `digest`. */
export function markDone(step, digest) {
  mkdirSync(dirname(stampOf(step)), { recursive: true });
  writeFileSync(stampOf(step), digest);
}
