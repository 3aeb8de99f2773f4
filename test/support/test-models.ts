// Models for tests: the packaged ones with a tiny encoder. Mocha loads this before every file (.mocharc.json)
// and sets TELLTALE_MODELS_DIR for tests and their processes. It also keeps tests from using the machine's
// proxies.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
// Loaded first: a process that loaded it in the middle of its tests once got it without createSecureContext.
import 'node:tls';
import { fileURLToPath } from 'node:url';
import { makeTinyEncoder } from './tiny-encoder.js';

const PACKAGED = fileURLToPath(new URL('../../models', import.meta.url));
const FOLDER = fileURLToPath(new URL('../../.setup/test-models', import.meta.url));

/** Path of the models of this run. */
export const modelsDir: string = (process.env.TELLTALE_MODELS_DIR ??= FOLDER);

const LOCAL = '127.0.0.1,::1,localhost';
for (const name of ['NO_PROXY', 'no_proxy'])
  process.env[name] = [process.env[name], LOCAL].filter(Boolean).join(',');

/** Writes the folder once, for all test files of a run. */
export function mochaGlobalSetup(): void {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(join(FOLDER, 'encoder'), { recursive: true });
  for (const name of readdirSync(PACKAGED))
    if (name !== 'encoder' && name !== 'training') symlinkSync(join(PACKAGED, name), join(FOLDER, name));
  const manifest = JSON.parse(readFileSync(join(PACKAGED, 'encoder/manifest.json'), 'utf8')) as {
    files: Record<string, { file: string; sha256: string }>;
  };
  const { weights, ...graphs } = manifest.files;
  const made = makeTinyEncoder(weights!.file);
  for (const [entry, bytes] of [
    ...Object.values(graphs).map((graph) => [graph, made.graph] as const),
    [weights!, made.weights] as const,
  ]) {
    writeFileSync(join(FOLDER, 'encoder', entry.file), bytes);
    entry.sha256 = createHash('sha256').update(bytes).digest('hex');
  }
  writeFileSync(join(FOLDER, 'encoder/manifest.json'), JSON.stringify(manifest));
}

/**
 * Lets the tests of a `describe` or of a whole file use the packaged models, as tests of real scores need.
 */
export function usePackagedModels(): void {
  const chosen = process.env.TELLTALE_MODELS_DIR;
  before(() => {
    process.env.TELLTALE_MODELS_DIR = PACKAGED;
  });
  after(() => {
    process.env.TELLTALE_MODELS_DIR = chosen;
  });
}
