// Tests GET /readyz if no process that reads Content Credentials can be started.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { preventReaders } from '../../support/credential-reader.js';
import { openBench, assertError, postForm, send } from '../../support/service.js';
import { ROOT } from '../../support/telltale.js';

describe('a service whose credential readers ended and cannot start again', () => {
  it('responds with 503 to /readyz and to checks of signed images, still checks other images, and later recovers', async () => {
    const bench = await openBench();
    const key = await bench.newKey();
    const [signed, plain] = ['scene-signed-ai.jpg', 'scene.jpg'].map((name) =>
      readFileSync(join(ROOT, 'samples', name)),
    );
    const check = (image: Buffer) => postForm(`${bench.url}/v1/check`, key, 'file', [image]);
    try {
      assert.equal((await send(`${bench.url}/readyz`)).status, 200);
      const allow = await preventReaders();
      try {
        for (const refused of [await send(`${bench.url}/readyz`), await check(signed!)]) {
          assertError(refused, 503, 'unavailable');
          assert.match(refused.body.error.message, /Content Credentials.*--allow-child-process$/);
        }
        assert.equal((await check(plain!)).status, 200);
      } finally {
        allow();
      }
      assert.equal((await send(`${bench.url}/readyz`)).status, 200);
      assert.equal((await check(signed!)).body.content_credentials.found, true);
    } finally {
      await bench.close();
    }
  });
});
