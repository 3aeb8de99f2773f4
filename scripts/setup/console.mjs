// Builds console/ with Vite to dist/pages/, from which the service serves the pages.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { announce, fingerprint, isDone, markDone, root, run } from './run.mjs';

/** Builds the console if a source or bundled package changed. A published package has dist/ already. */
export async function buildConsole() {
  if (!existsSync(join(root, 'node_modules/vite'))) return;
  // Includes the service's sources, because the console imports some of them.
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
