// Tests GET /readyz if no process that reads Content Credentials can be started.
import assert from 'node:assert/strict';
import { StartError } from '../../../src/library/base/errors.js';
import { getReadiness } from '../../../src/service/http/routes/health.js';
import type { Context } from '../../../src/service/http/state.js';
import { describeOnEachDatabase } from '../../support/databases.js';

describeOnEachDatabase('GET /readyz', (bench) => {
  it('responds to /readyz with 503 and the reason while no credential reader can start, and with 200 afterwards', async () => {
    let fault: Error | null = new StartError('config_invalid', 'The process does not start: EAGAIN');
    const respond = getReadiness({
      database: await bench.open(),
      calibration: { current: { model: 'telltale-1.0.0', version: '2026-11-28.1' } } as never,
      isStopping: () => false,
      readTrust: () => Promise.resolve({} as never),
      startReader: () => (fault ? Promise.reject(fault) : Promise.resolve()),
    });
    const ctx = {} as Context;
    await assert.rejects(respond(ctx), {
      code: 'unavailable',
      status: 503,
      message: 'The process does not start: EAGAIN',
    });
    fault = null;
    await respond(ctx);
    assert.equal((ctx.body as { status: string }).status, 'ready');
  });
});
