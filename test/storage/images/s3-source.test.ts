// Tests objects from a store that sends no length: reading stops at the maximum image size.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MAX_IMAGE_BYTES } from '../../../src/library/base/limits.js';
import { createS3Source } from '../../../src/storage/images/s3-source.js';

describe('an S3 object whose length the store does not state', () => {
  it('is read only up to the maximum image size', async () => {
    let sentBytes = 0;
    const server = createServer((request, response) => {
      if (request.url?.startsWith('/shop/small') === true) {
        response.write('a ');
        response.end('picture');
        return;
      }
      const chunk = Buffer.alloc(1 << 20);
      const send = (): void => {
        while (!response.destroyed) {
          sentBytes += chunk.byteLength;
          if (!response.write(chunk)) return;
        }
      };
      response.on('drain', send);
      send();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const before = { ...process.env };
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'key',
      AWS_SECRET_ACCESS_KEY: 'secret',
    });
    const source = createS3Source('shop');
    try {
      const { signal } = new AbortController();
      assert.equal(Buffer.from(await source.read('small.jpg', signal)).toString(), 'a picture');
      await assert.rejects(source.read('endless.jpg', signal), { code: 'image_too_large' });
      assert.ok(sentBytes < 2 * MAX_IMAGE_BYTES, `${sentBytes} bytes were taken`);
    } finally {
      source.close();
      server.closeAllConnections();
      server.close();
      process.env = before;
    }
  });
});
