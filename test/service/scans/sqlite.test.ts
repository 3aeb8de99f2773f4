// Tests that scans are unavailable on SQLite.
import assert from 'node:assert/strict';
import { ScanCaller } from '../../support/scans.js';
import { openBench } from '../../support/service.js';

describe('scans on SQLite', () => {
  it('are unavailable, and the error explains how to set them up', async () => {
    const bench = await openBench('sqlite', { threads: 1 });
    try {
      const caller = new ScanCaller(bench.url, await bench.newKey());
      for (const [path, method] of [
        ['', 'POST'],
        ['', 'GET'],
        ['/scn_1', 'GET'],
        ['/scn_1', 'DELETE'],
        ['/scn_1/results', 'GET'],
      ] as const) {
        const response = await caller.call(path, { method });
        assert.equal(response.status, 501);
        assert.match(
          await response.text(),
          /not_configured.*TELLTALE_DATABASE_URL=postgres:.*telltale worker/,
        );
      }
    } finally {
      await bench.close();
    }
  });
});
