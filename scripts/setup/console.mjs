// Build of console/ by Vite to dist/pages/, the pages that the service serves.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { announce, fingerprint, isDone, markDone, root, run } from './run.mjs';

/** Builds if a source or a bundled package changed. A published package contains its dist/ and skips this step. */
export async function buildConsole() {
  if (!existsSync(join(root, 'node_modules/vite'))) return;
  // The pages share rules with the service, so its sources count too.
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
