// Builds client/: generates types from openapi.json, then compiles src/ to dist/.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { announce, fingerprint, isDone, markDone, root, run } from './run.mjs';

const TYPES = 'client/src/openapi.ts';
const SOURCES = ['client/src', 'client/tsconfig.json', 'openapi.json'];

/** Builds the client if its sources or the OpenAPI document changed and the checkout has a client. */
export async function buildClient() {
  if (!existsSync(join(root, 'client')) || !existsSync(join(root, 'node_modules/openapi-typescript'))) return;
  if (existsSync(join(root, 'client/dist/index.js')) && isDone('client', fingerprint(SOURCES))) return;
  const step = announce('building the client');
  await run('npx', ['--no-install', 'openapi-typescript', 'openapi.json', '--output', TYPES], { step });
  await run('npx', ['--no-install', 'tsc', '-p', 'client/tsconfig.json'], { step });
  // Calculates the fingerprint again, because the types generated meanwhile are among the sources.
  markDone('client', fingerprint(SOURCES));
}
