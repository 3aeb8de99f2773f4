// Tests GET /v1/usage on both databases (specification, section 4.3).
import assert from 'node:assert/strict';
import { Value } from '@sinclair/typebox/value';
import { UsageRecord } from '../../../src/service/http/openapi/schemas.js';
import { SCENE_JPEG } from '../../support/images.js';
import { assertError, describeServiceOnEachDatabase, postForm, send } from '../../support/service.js';

describeServiceOnEachDatabase('/v1/usage', (bench) => {
  let key: string;
  before(async () => {
    key = await bench().newKey();
  });

  it('returns the account’s usage in the documented form', async () => {
    const own = await bench().newKey({ plan: 'growth' });
    await postForm(`${bench().url}/v1/check`, own, 'file', [SCENE_JPEG]);
    const read = (query = ''): ReturnType<typeof send> =>
      send(`${bench().url}/v1/usage${query}`, { headers: { authorization: `Bearer ${own}` } });
    const { body, headers } = await read();
    assert.deepEqual([...Value.Errors(UsageRecord, body)], []);
    const today = new Date().toISOString().slice(0, 10);
    assert.equal(body.plan, 'growth');
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(body.period.start, `${today.slice(0, 7)}-01T00:00:00Z`);
    assert.deepEqual(body.checks, { used: 1, reserved: 0, quota: 50_000, remaining: 49_999 });
    assert.deepEqual(body.days.at(-1), { date: today, checks: 1 });
    assert.equal(body.days[0]?.date, `${today.slice(0, 7)}-01`);
    const chosen = await read('?from=2024-02-28&to=2024-03-01');
    assert.deepEqual(
      chosen.body.days.map((day) => day.date),
      ['2024-02-28', '2024-02-29', '2024-03-01'],
    );
    for (const query of [
      '?from=2024-02-30',
      '?from=2024-03-01&to=2024-02-01',
      '?from=2022-01-01&to=2024-01-01',
      '?since=1',
    ]) {
      assertError(await read(query), 400, 'invalid_request');
    }
  });

  it('reports no quota for the plan "scale"', async () => {
    const { body } = await send(`${bench().url}/v1/usage`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal(body.checks.quota, null);
    assert.equal(body.checks.remaining, null);
  });
});
