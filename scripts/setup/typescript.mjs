// src/ to dist/, by tsc.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { announce, fingerprint, isDone, markDone, root, run } from './run.mjs';

/** Compiles where a source changed since; a published package brings its dist/ along and skips this. */
export async function compileTypeScript() {
  if (!existsSync(join(root, 'node_modules/typescript'))) return;
  const digest = fingerprint(['src', 'tsconfig.json', 'tsconfig.build.json']);
  if (existsSync(join(root, 'dist/cli/main.js')) && isDone('typescript', digest)) return;
  const step = announce('compiling TypeScript');
  await run('npx', ['--no-install', 'tsc', '-p', 'tsconfig.build.json'], { step });
  markDone('typescript', digest);
}
