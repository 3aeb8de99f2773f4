// client/: types from the service's own OpenAPI document, then src/ to dist/.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { announce, fingerprint, isDone, markDone, root, run } from './run.mjs';

const TYPES = 'client/src/openapi.ts';
const SOURCES = [
  'client/src',
  'client/tsconfig.json',
  'src/service/http',
  'src/service/scans',
  'src/service/webhooks',
  'src/base/errors.ts',
  'src/check/types.ts',
];

/** Builds where the client or the service's compiled shapes changed since; skipped if there is no client. */
export async function buildClient() {
  if (!existsSync(join(root, 'client')) || !existsSync(join(root, 'node_modules/openapi-typescript'))) return;
  if (existsSync(join(root, 'client/dist/index.js')) && isDone('client', fingerprint(SOURCES))) return;
  const step = announce('building the client');
  const folder = mkdtempSync(join(tmpdir(), 'telltale-openapi-'));
  try {
    const { buildOpenApi } = await import(
      pathToFileURL(join(root, 'dist/service/http/openapi/openapi.js')).href
    );
    const document = join(folder, 'openapi.json');
    writeFileSync(document, JSON.stringify(buildOpenApi('0.0.0')));
    await run('npx', ['--no-install', 'openapi-typescript', document, '--output', join(root, TYPES)], {
      step,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  await run('npx', ['--no-install', 'tsc', '-p', 'client/tsconfig.json'], { step });
  // The types were just written, and are among the sources.
  markDone('client', fingerprint(SOURCES));
}
