import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { digestBytes } from '../../../src/library/base/bytes.js';

describe('hashing of image bytes', () => {
  it('returns the SHA-256 hash of bytes of any length', async () => {
    for (const size of [0, 1, 1 << 20, (1 << 20) + 1]) {
      const bytes = Buffer.alloc(size, 'a');
      assert.equal(await digestBytes(bytes), createHash('sha256').update(bytes).digest('hex'));
    }
  });

  it('lets other work run after each megabyte, even if the bytes belong to several images', async () => {
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    for (let image = 0; image < 8; image += 1) await digestBytes(Buffer.alloc(1 << 20));
    await digestBytes(Buffer.alloc(4 << 20));
    isDone = true;
    assert.ok(turns >= 12, String(turns));
  });
});
