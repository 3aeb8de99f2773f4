// Compilation of src/ to dist/, and of src/library/ to src/library/dist/, by tsc.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { announce, fingerprint, isDone, markDone, root, run } from './run.mjs';

/** Options of tsc that compile each file separately. A composite project would have to write declarations. */
export const UNCHECKED = [
  ...['--noCheck', '--noResolve', '--types', 'null'],
  ...['--composite', 'false', '--incremental', '--declaration', 'false'],
];

const PRODUCTS = ['dist/cli/main.js', 'src/library/dist/index.js'];

/**
 * Compiles if a source changed. A published package contains its dist/ and skips this step. Without `isChecked`,
 * checks no types and writes no declarations, which would require the packages with other projects' types.
 */
export async function compileTypeScript({ isChecked }) {
  if (!existsSync(join(root, 'node_modules/typescript'))) return;
  const digest = fingerprint(['src', 'tsconfig.json', 'tsconfig.build.json']);
  const steps = isChecked ? ['typescript'] : ['typescript', 'typescript-unchecked'];
  const isCompiled = PRODUCTS.every((path) => existsSync(join(root, path)));
  if (isCompiled && steps.some((step) => isDone(step, digest))) return;
  const step = announce('compiling TypeScript');
  const options = isChecked ? [] : UNCHECKED;
  for (const project of ['src/library', 'tsconfig.build.json'])
    await run('npx', ['--no-install', 'tsc', '-p', project, ...options], { step });
  markDone(steps.at(-1), digest);
}
