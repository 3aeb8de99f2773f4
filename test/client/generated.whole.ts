// Tests that a client generator understands /openapi.json, by using the generated client with a running
// service.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from '../support/folders.js';
import { pythonEnvironment, pythonPath } from '../support/python.js';
import { openBench, type ServiceBench } from '../support/service.js';
import { ROOT } from '../support/telltale.js';

const run = promisify(execFile);

describe('a Python client generated from the OpenAPI document', () => {
  const folder = makeFolder('generated');
  let bench: ServiceBench;

  before(async () => {
    bench = await openBench();
  });
  after(() => bench.close());

  it('reads results, refusals, batches and usage', async () => {
    const bin = dirname(pythonPath());
    // The generator runs the program ruff, which is in the same folder.
    const env = pythonEnvironment({ PATH: `${bin}:${process.env.PATH}`, PYTHONPATH: folder });
    const document = join(folder, 'openapi.json');
    await writeFile(document, await (await fetch(`${bench.url}/openapi.json`)).text());
    const output = join(folder, 'telltale_api');
    await run(
      join(bin, 'openapi-python-client'),
      ['generate', '--path', document, '--output-path', output, '--meta', 'none'],
      { env },
    );
    const program = join(ROOT, 'test/client/generated_client.py');
    const images = ['samples/portrait.png', 'samples/portrait-too-small.png'].map((name) => join(ROOT, name));
    const key = await bench.newKey();
    const { stdout } = await run(pythonPath(), [program, bench.url, key, ...images], { env });
    assert.equal(
      stdout,
      "checked False []\nrefused image_too_small\nbatch ['CheckResult', 'Error']\nused 2\n",
    );
  });
});
