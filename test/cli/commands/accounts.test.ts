// Tests `telltale accounts makers`: AI makers' provenance services that are enabled for an account.
import assert from 'node:assert/strict';
import { makeFolder } from '../../support/folders.js';
import { callTelltale } from '../../support/telltale.js';

describe('telltale accounts makers', () => {
  it('enables and disables AI makers’ provenance services for an account and lists them with their limits', async () => {
    const env = { TELLTALE_DATA_DIR: makeFolder('makers') };
    const run = (...args: string[]) => callTelltale(['accounts', ...args], { env });
    const name = `makers ${Date.now()}`;
    await run('create', name);
    const on = await run('makers', name, 'openai', '1000', '--json');
    assert.equal(on.status, 0, on.stderr);
    assert.deepEqual(JSON.parse(on.stdout), [{ maker: 'openai', requests_per_month: 1000, asked: 0 }]);
    assert.match((await run('makers', name)).stdout, /openai +1000 +0/);
    assert.equal((await run('makers', name, 'openai', 'off', '--json')).stdout, '[]\n');
    for (const args of [['google', '1'], ['openai'], ['openai', 'many'], ['openai', '1', '2']])
      assert.equal((await run('makers', name, ...args)).status, 2, args.join(' '));
    assert.equal((await run('makers', 'nobody', 'openai', '1')).status, 2);
  });
});
