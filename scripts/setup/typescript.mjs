// src/ to dist/, by tsc.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { announce, fingerprint, isDone, markDone, root, run } from './run.mjs';

/**
 * Compiles where a source changed since; a published package brings its dist/ along and skips this. Without `isChecked`
 * no types are checked and no declarations written, for which the packages with others' types would be needed.
 */
export async function compileTypeScript({ isChecked }) {
  if (!existsSync(join(root, 'node_modules/typescript'))) return;
  const digest = fingerprint(['src', 'tsconfig.json', 'tsconfig.build.json']);
  const steps = isChecked ? ['typescript'] : ['typescript', 'typescript-unchecked'];
  if (existsSync(join(root, 'dist/cli/main.js')) && steps.some((step) => isDone(step, digest))) return;
  const step = announce('compiling TypeScript');
  const options = isChecked ? [] : ['--noCheck', '--noResolve', '--types', 'null', '--declaration', 'false'];
  for (const project of ['src/library', 'tsconfig.build.json'])
    await run('npx', ['--no-install', 'tsc', '-p', project, ...options], { step });
  markDone(steps.at(-1), digest);
}
