// Tests that commands which check images do not load the service's libraries, because this would slow each
// start.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeFolder } from '../../support/folders.js';
import { fixture, runTelltale } from '../../support/telltale.js';

describe('telltale check', () => {
  it('starts without loading any library of the HTTP service', async () => {
    const folder = makeFolder('light');
    const list = join(folder, 'loaded');
    writeFileSync(
      join(folder, 'hooks.mjs'),
      `import { appendFileSync } from 'node:fs';
       export async function load(url, context, next) { appendFileSync(${JSON.stringify(list)}, url + '\\n'); return next(url, context); }`,
    );
    writeFileSync(
      join(folder, 'register.mjs'),
      `import { register } from 'node:module'; register('./hooks.mjs', import.meta.url);`,
    );
    const register = pathToFileURL(join(folder, 'register.mjs')).href;
    const loadedBy = async (...args: string[]): Promise<string[]> => {
      writeFileSync(list, '');
      const env = { NODE_OPTIONS: `--import=${register}`, TELLTALE_DATA_DIR: folder };
      assert.equal((await runTelltale(args, { env })).status, 0);
      const packages = readFileSync(list, 'utf8').matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)\//g);
      return [...new Set([...packages].map(([, name]) => name ?? ''))];
    };
    const heavy = /^(koa|knex|pg|pino|undici|prom-client|better-sqlite3|@koa\/|@aws-sdk\/|@fastify\/)/;
    assert.deepEqual(
      (await loadedBy('check', fixture('jpeg/scene.jpg'))).filter((name) => heavy.test(name)),
      [],
    );
    assert.ok((await loadedBy('keys', 'list')).includes('knex'), 'the list of what was loaded works');
  });
});
