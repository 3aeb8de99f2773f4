// Tests startup errors of the server in one line for its operator, and responses that the client does not
// read.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { StartError } from '../../../src/library/base/errors.js';
import { listen } from '../../../src/service/http/server.js';

describe('the start of the HTTP server', () => {
  const refused = (message: string) => (error: unknown) => {
    assert.ok(error instanceof StartError, String(error));
    assert.equal(error.message, message);
    return true;
  };

  it('fails with an error that names the port if the port is already in use', async () => {
    const first = await listen((_req, res) => res.end(), { host: '127.0.0.1', port: 0 });
    try {
      const { port } = first.address;
      await assert.rejects(
        listen((_req, res) => res.end(), { host: '127.0.0.1', port }),
        refused(`port ${port} of 127.0.0.1 is in use. Choose another port with --port or TELLTALE_PORT`),
      );
      assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 200);
    } finally {
      await first.stop(1000);
    }
  });

  it('fails with an error that names the address if the address does not belong to this machine', async () => {
    // An address reserved for documentation (RFC 5737), which no machine has.
    const host = '192.0.2.1';
    await assert.rejects(
      listen(() => null, { host, port: 0 }),
      refused(`this machine has no address ${host}. Choose another address with --host or TELLTALE_HOST`),
    );
  });
});

describe('the connection of an HTTP response', () => {
  /** Body far larger than the buffers of a connection, so that an unread response stays unfinished. */
  const LARGE = Buffer.alloc(30_000_000);

  async function withServer(
    handle: (res: ServerResponse) => void,
    use: (port: number) => Promise<void>,
  ): Promise<void> {
    const where = { host: '127.0.0.1', port: 0, unreadMs: 300 };
    const server = await listen((_req, res) => handle(res), where);
    try {
      await use(server.address.port);
    } finally {
      await server.stop(0);
    }
  }

  it('is closed if the client does not read the response', async () => {
    let closed: Promise<unknown> | undefined;
    await withServer(
      (res) => {
        closed = once(res, 'close');
        res.end(LARGE);
      },
      async (port) => {
        const idle = connect(port, '127.0.0.1', () => idle.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
        idle.on('error', () => undefined).pause();
        while (!closed) await new Promise((resolve) => setTimeout(resolve, 5));
        await closed;
        idle.destroy();
      },
    );
  });

  it('stays open while a slow response is prepared', async () => {
    await withServer(
      (res) => void setTimeout(() => res.end('late'), 1000),
      async (port) => {
        const answer = await fetch(`http://127.0.0.1:${port}/`);
        assert.equal(await answer.text(), 'late');
      },
    );
  });
});
