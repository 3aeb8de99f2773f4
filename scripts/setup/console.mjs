// console/ to dist/pages/, by Vite: the pages that the service serves.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { announce, fingerprint, isDone, markDone, root, run } from './run.mjs';

/** Builds where a source or a package it bundles changed since; a published package brings its dist/ along and skips this. */
export async function buildConsole() {
  if (!existsSync(join(root, 'node_modules/vite'))) return;
  // Pages judge by the service's own rules.
  const digest = fingerprint([
    'console',
    'src/accounts/history',
    'src/library/base',
    'src/library/check',
    'package-lock.json',
  ]);
  if (existsSync(join(root, 'dist/pages/index.html')) && isDone('console', digest)) return;
  const step = announce('building the console');
  const args = ['vite', 'build', '--config', 'console/vite.config.ts', '--logLevel', 'warn'];
  await run('npx', ['--no-install', ...args], { step });
  markDone('console', digest);
}
