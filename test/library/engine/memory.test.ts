// Tests the memory budget for decoding images: its default and its valid values.
import assert from 'node:assert/strict';
import { totalmem } from 'node:os';
import { createEngine } from '../../../src/library/engine/native/engine.js';
import {
  defaultMemoryMb,
  MIN_MEMORY_MB,
  READER_COUNT,
  READER_MEMORY_MB,
} from '../../../src/library/engine/native/options.js';
import { readFixture } from '../../support/images.js';
import { modelsDir } from '../../support/test-models.js';

describe('the memory budget of an engine', () => {
  it('defaults to three quarters of the memory that the credential readers do not need', () => {
    const limit = process.constrainedMemory();
    const mayUse = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
    const left = (processes: number): number => mayUse / 1e6 - processes * READER_COUNT * READER_MEMORY_MB;
    assert.equal(defaultMemoryMb(), Math.floor(left(1) * 0.75));
    assert.equal(defaultMemoryMb(2), Math.floor(left(2) * 0.75));
    assert.equal(defaultMemoryMb(100_000), MIN_MEMORY_MB);
  });

  it('makes images that do not fit together run one after the other, until all are done', async () => {
    const engine = await createEngine({ modelsDir, device: 'cpu', threads: 2, memoryMb: MIN_MEMORY_MB });
    try {
      const bytes = readFixture('jpeg/scene.jpg');
      const found = await Promise.all(Array.from({ length: 6 }, () => engine.inspect(bytes)));
      assert.equal(new Set(found.map(({ fullImageScore }) => fullImageScore)).size, 1);
    } finally {
      await engine.close();
    }
  });

  it('must be a valid amount of memory', async () => {
    for (const memoryMb of [0, MIN_MEMORY_MB - 1, 1.5, Number.NaN])
      await assert.rejects(createEngine({ memoryMb }), { code: 'config_invalid' });
  });
});
