// Tests races between service processes that share one PostgreSQL database.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createKey } from '../../../src/accounts/keys.js';
import { openDatabase, type Database } from '../../../src/storage/db/database.js';
import { migrate } from '../../../src/storage/db/migrate.js';
import { makeFolder } from '../../support/folders.js';
import { findPostgres, startPostgres, type PostgresServer } from '../../support/postgres.js';
import { SCENE_JPEG } from '../../support/images.js';
import { assertError, postForm, type Answer } from '../../support/service.js';
import { serve, type Served } from '../../support/telltale-serve.js';

describe('several service processes on one PostgreSQL database', function () {
  this.timeout(300_000);
  let postgres: PostgresServer;
  let database: Database;
  let folder: string | undefined;
  let env: Record<string, string>;
  const served: Served[] = [];

  before(async function () {
    const bin = findPostgres();
    if (bin === null) return this.skip();
    folder = makeFolder('races');
    const plans = join(folder, 'plans.json');
    const twenty = { checks_per_month: 20, requests_per_second: 10_000, burst: 10_000, batch: true };
    writeFileSync(plans, JSON.stringify({ twenty, open: { ...twenty, checks_per_month: null } }));
    postgres = await startPostgres(bin);
    const url = postgres.createDatabase();
    database = await openDatabase({ kind: 'postgres', url });
    await migrate(database);
    env = {
      TELLTALE_DATABASE_URL: url,
      TELLTALE_DATA_DIR: folder,
      TELLTALE_PLANS_FILE: plans,
      TELLTALE_QUEUE: '300',
      TELLTALE_THREADS: '1',
      TELLTALE_DEADLINE_MS: '200000',
      TELLTALE_LOG: 'error',
    };
    served.push(...(await Promise.all([serve(env), serve(env)])));
  });
  after(async () => {
    for (const one of served) await one.end('SIGKILL');
    if (folder === undefined) return;
    await database.close();
    postgres.close();
  });

  const check = (one: Served, key: string): Promise<Answer> =>
    postForm(`${one.url}/v1/check`, key, 'file', [SCENE_JPEG]);

  /**
   * Returns the number of checks of an account and the sums of its two usage counters. Reads them in one statement,
   * because the server may still commit a transaction of a killed process.
   */
  async function count(accountId: string): Promise<{ rows: number; period: number; days: number }> {
    return database.run(async (queries) => {
      const where = { account_id: accountId };
      const sums = await queries
        .select({
          rows: queries('checks').where(where).count(),
          period: queries('usage_periods').where(where).sum('checks'),
          days: queries('usage_days').where(where).sum('checks'),
        })
        .first<{ rows: number; period: string | null; days: string | null }>();
      return { rows: sums.rows, period: Number(sums.period), days: Number(sums.days) };
    });
  }

  it('charge exactly 20 of 60 concurrent checks against a quota of 20 and refuse the other 40', async () => {
    const { key, accountId } = await createKey(database, { account: 'crowd', plan: 'twenty' });
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => check(served[index % 2]!, key)),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    assert.equal(answers.length - refused.length, 20);
    for (const answer of refused) assertError(answer, 429, 'quota_exceeded');
    assert.deepEqual(await count(accountId), { rows: 20, period: 20, days: 20 });
    assert.equal(new Set(answers.filter(({ status }) => status === 200).map(({ body }) => body.id)).size, 20);
  });

  it('store no charge without a check and no check without a charge if they are killed under load', async () => {
    const { key, accountId } = await createKey(database, { account: 'killed', plan: 'open' });
    let answered = 0;
    for (let round = 0; round < 2; round += 1) {
      const victim = await serve(env);
      let isKilled = false;
      const work = Array.from({ length: 20 }, async () => {
        while (!isKilled) {
          const answer = await check(victim, key).catch(() => null);
          if (answer?.status === 200) answered += 1;
        }
      });
      const { rows } = await count(accountId);
      // Waits for a number of stored checks instead of a time, so that the kill always happens in the middle
      // of the work.
      while ((await count(accountId)).rows < rows + 2 + round * 6)
        await new Promise((resolve) => setTimeout(resolve, 20));
      await victim.end('SIGKILL');
      isKilled = true;
      await Promise.all(work);
      const sums = await count(accountId);
      assert.equal(sums.rows, sums.period);
      assert.equal(sums.rows, sums.days);
      assert.ok(sums.rows >= answered, 'every answer was charged');
    }
    assert.equal((await check(served[0]!, key)).status, 200);
  });

  it('respond with the error unavailable while PostgreSQL is stopped under load, and recover when PostgreSQL is back', async () => {
    const { key, accountId } = await createKey(database, { account: 'outage', plan: 'open' });
    const answers: Answer[] = [];
    let isOver = false;
    const work = Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        while (!isOver) answers.push(await check(served[index % 2]!, key));
      }),
    );
    while ((await count(accountId)).rows < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    postgres.stop();
    const during = await check(served[0]!, key);
    assertError(during, 503, 'unavailable');
    assert.ok(during.headers.get('retry-after'));
    assert.equal((await fetch(`${served[0]!.url}/healthz`)).status, 200);
    assert.equal((await fetch(`${served[0]!.url}/readyz`)).status, 503);
    isOver = true;
    await work;
    for (const answer of answers) if (answer.status !== 200) assertError(answer, 503, 'unavailable');
    assert.ok(answers.some(({ status }) => status === 503));
    postgres.start();
    for (const one of served) assert.equal((await check(one, key)).status, 200);
    const sums = await count(accountId);
    assert.equal(sums.rows, sums.period);
    assert.ok(sums.rows >= answers.filter(({ status }) => status === 200).length + 2);
  });
});
