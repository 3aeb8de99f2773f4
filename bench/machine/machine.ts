// Description of the environment in which the bench runs: machine, versions, models and commit.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Returns the path of the models that are measured: the package's models, or the folder in TELLTALE_MODELS_DIR. */
export const modelsDir = (): string => process.env.TELLTALE_MODELS_DIR ?? join(root, 'models');

/**
 * Shortens an absolute path to its last part, so that saved results don't name folders of this machine. Returns other
 * values unchanged.
 */
export function withoutFolder<T>(value: T): T | string {
  return typeof value === 'string' && isAbsolute(value) ? basename(value) : value;
}

/** Description of the environment, as saved in results.json. */
export interface Machine {
  /** ISO 8601, UTC. */
  readonly date: string;
  /** Commit hash, followed by `+` if files differ from the commit. */
  readonly commit: string;
  readonly processor: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly loadBefore: readonly number[];
  readonly versions: Readonly<Record<string, string>>;
  /** SHA-256 of each network's file. */
  readonly models: Readonly<Record<string, string>>;
}

/** Reads the description of this machine and project. */
export function describeMachine(): Machine {
  return {
    date: new Date().toISOString(),
    commit: readCommit(),
    processor: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: totalmem() / 1e9,
    system: `${readSystemName()}, Linux ${release()}`,
    loadBefore: loadavg(),
    versions: {
      'Node.js': process.version,
      ...Object.fromEntries(
        ['onnxruntime-node', 'sharp', 'autocannon'].map((name) => [name, versionOf(name)]),
      ),
    },
    models: Object.fromEntries(
      ['encoder/cpu.onnx', 'encoder/gpu.onnx', 'encoder/weights.bin', 'face_detector/model.onnx'].map(
        (file) => [file, hashOfModel(file)],
      ),
    ),
  };
}

function readCommit(): string {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    const isChanged = git('status', '--porcelain', '--untracked-files=no') !== '';
    return git('rev-parse', '--short=12', 'HEAD') + (isChanged ? '+' : '');
  } catch {
    return 'unknown';
  }
}

function readSystemName(): string {
  try {
    return /^PRETTY_NAME="(.*)"$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'unknown';
  } catch {
    return 'unknown';
  }
}

function versionOf(name: string): string {
  const file = join(root, 'node_modules', name, 'package.json');
  const { version } = createRequire(import.meta.url)(file) as { version: string };
  return version;
}

function hashOfModel(file: string): string {
  return createHash('sha256')
    .update(readFileSync(join(modelsDir(), file)))
    .digest('hex');
}
