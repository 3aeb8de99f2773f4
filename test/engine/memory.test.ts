// The memory that decoding may take where nobody says, and what may be said.
import assert from 'node:assert/strict';
import { totalmem } from 'node:os';
import { createEngine } from '../../src/engine/native/engine.js';
import { LEAST_MEMORY_MB, defaultMemoryMb } from '../../src/engine/native/memory.js';
import { readFixture } from '../support/pictures.js';

describe('the memory budget', () => {
  it('is three quarters of what the process may use by default', () => {
    const limit = process.constrainedMemory();
    const mayUse = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
    assert.equal(defaultMemoryMb(), Math.floor((mayUse * 0.75) / 1e6));
  });

  it('lets pictures that do not fit together take turns, and leaves no one out', async () => {
    const engine = await createEngine({ device: 'cpu', threads: 2, memoryMb: LEAST_MEMORY_MB });
    try {
      const bytes = readFixture('jpeg/scene.jpg');
      const found = await Promise.all(Array.from({ length: 6 }, () => engine.inspect(bytes)));
      assert.equal(new Set(found.map(({ fullImageScore }) => fullImageScore)).size, 1);
    } finally {
      await engine.close();
    }
  });

  it('refuses what is no memory', async () => {
    for (const memoryMb of [0, LEAST_MEMORY_MB - 1, 1.5, Number.NaN])
      await assert.rejects(createEngine({ memoryMb }), { code: 'config_invalid' });
  });
});
