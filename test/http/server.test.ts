// Where the server can't listen, whoever starts it is told in a line what to change.
import assert from 'node:assert/strict';
import { StartError } from '../../src/errors.js';
import { listen } from '../../src/http/server.js';

describe('listen', () => {
  const refused = (message: string) => (error: unknown) => {
    assert.ok(error instanceof StartError, String(error));
    assert.equal(error.message, message);
    return true;
  };

  it('names a port that is taken', async () => {
    const first = await listen((_req, res) => res.end(), { host: '127.0.0.1', port: 0 });
    try {
      const { port } = first.address;
      await assert.rejects(
        listen((_req, res) => res.end(), { host: '127.0.0.1', port }),
        refused(`port ${port} of 127.0.0.1 is taken; --port or TELLTALE_PORT picks another`),
      );
      assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 200);
    } finally {
      await first.stop(1000);
    }
  });

  it('names an address that is not of this machine', async () => {
    // For documentation (RFC 5737): no machine has it.
    const host = '192.0.2.1';
    await assert.rejects(
      listen(() => null, { host, port: 0 }),
      refused(`this machine has no address ${host}; --host or TELLTALE_HOST picks another`),
    );
  });
});
