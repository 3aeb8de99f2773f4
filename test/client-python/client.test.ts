// Runs the Python client's own tests with a real service.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pythonEnvironment, pythonPath } from '../support/python.js';
import { openBench, type ServiceBench } from '../support/service.js';
import { ROOT } from '../support/telltale.js';

describe('the Python client', function () {
  this.timeout(300_000);
  let bench: ServiceBench;

  before(async () => {
    bench = await openBench();
  });
  after(() => bench.close());

  for (const file of ['models', 'requests', 'service'])
    it(`passes its own tests in ${file} against a running service`, async () => {
      const env = pythonEnvironment({
        TELLTALE_URL: bench.url,
        TELLTALE_KEY: await bench.newKey(),
        TELLTALE_IMAGES: join(ROOT, 'test/fixtures/images'),
        TELLTALE_OPENAPI: join(ROOT, 'openapi.json'),
      });
      const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', `client-python/tests/test_${file}.py`];
      const child = spawn(pythonPath(), args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] });
      const closed = once(child, 'close') as Promise<[number | null]>;
      const [output, [status]] = await Promise.all([text(child.stdout), closed]);
      assert.equal(status, 0, output);
    });
});
