// Compiles src/ to dist/, and src/library/ to src/library/dist/, with tsc.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { announce, fingerprint, isDone, markDone, root, run } from './run.mjs';

/** Options with which tsc compiles each file separately, without checking types. */
export const UNCHECKED = [
  ...['--noCheck', '--noResolve', '--types', 'null'],
  ...['--composite', 'false', '--incremental', '--declaration', 'false'],
];

const PRODUCTS = ['dist/cli/main.js', 'src/library/dist/index.js'];

/**
 * Compiles if a source changed. Does nothing in a published package, which has dist/. `isChecked` false
 * checks no types and writes no declarations, because that needs packages that only developers have.
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
