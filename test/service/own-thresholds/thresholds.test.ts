// Tests thresholds fitted in the console: which images count, refusal of too few images, and their use in
// results and records.
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { describeServiceOnEachDatabase } from '../../support/service.js';
import {
  activate,
  FOLLOW_MS,
  addThresholds,
  drawBoxes,
  judge,
  keenBands,
  readJudged,
  shippedBands,
  readThresholds,
  waitForEnd,
} from '../../support/cleared.js';
import { makeSteered } from '../../support/images.js';
import { signIn, type ConsoleClient } from '../../support/console.js';

const AIMS = { strict: 0.003, balanced: 0.01, sensitive: 0.05 };

describeServiceOnEachDatabase('fitting thresholds in the console', (service) => {
  let operator: ConsoleClient;
  let mill: ConsoleClient;

  before(async function () {
    this.timeout(600_000);
    operator = await signIn(service(), { account: 'desk', email: 'op@desk.example', role: 'operator' });
    mill = await signIn(service(), { account: 'mill', email: 'm@mill.example', role: 'member' });
    for (const number of [0, 1, 2]) await judge(operator, drawBoxes(number), { status: 'cleared' });
    for (const number of [3, 4]) await judge(mill, drawBoxes(number), { status: 'cleared' });
    await judge(mill, makeSteered(235, 20, 235), { label: 'real' });
    await judge(mill, drawBoxes(6), { label: 'generated' });
    // Contradicting feedback and undecided checks are not used for the fit.
    await judge(mill, drawBoxes(7), { status: 'cleared', label: 'generated' });
    await judge(mill, drawBoxes(8), { status: 'open' });
  });

  const want = (body: object) =>
    operator.call<{ id: string }>('POST', '/operator/thresholds', {
      name: 'desk',
      aims: AIMS,
      also_reported: false,
      account_ids: ['acc_x'],
      ...body,
    });
  const check = async () => {
    const { status, text, body } = await operator.check(drawBoxes(0), '?include=record');
    assert.equal(status, 200, text);
    return body;
  };
  const follow = async (version: string) => {
    const endMs = Date.now() + FOLLOW_MS;
    while ((await readThresholds(operator)).bands_version !== version) {
      assert.ok(Date.now() < endMs, `no ${version} within ${FOLLOW_MS} ms`);
      await setTimeout(100);
    }
    const result = await check();
    assert.equal(result.bands_version, version);
    return result;
  };
  const verify = async (record: unknown): Promise<unknown[]> => {
    const form = new FormData();
    form.append('files', new Blob([JSON.stringify(record)]), 'record.json');
    form.append('files', new Blob([new Uint8Array(drawBoxes(0))]), 'picture.bmp');
    const { url } = service();
    const headers = { origin: url, cookie: operator.cookie };
    const answer = await fetch(`${url}/console/api/records/verify`, { method: 'POST', headers, body: form });
    const { findings } = (await answer.json()) as { findings: { about: string; holds: boolean | null }[] };
    return findings.map(({ about, holds }) => [about, holds]);
  };

  it('is allowed to operators only', async () => {
    for (const [method, path] of [
      ['GET', '/operator/judged'],
      ['GET', '/operator/thresholds'],
      ['POST', '/operator/thresholds'],
      ['PUT', '/operator/thresholds/active'],
      ['DELETE', '/operator/thresholds/thr_1'],
    ] as const) {
      const answer = await mill.call(method, path, method === 'POST' || method === 'PUT' ? {} : undefined);
      assert.deepEqual([answer.status, answer.body.error.code], [403, 'forbidden'], path);
    }
  });

  it('lists the accounts whose images would be used', async () => {
    const cells = (accounts: Awaited<ReturnType<typeof readJudged>>) =>
      accounts.map(({ name, genuine, members, ai }) => [name, genuine, members, ai]);
    assert.deepEqual(cells(await readJudged(operator)), [
      ['desk', 3, 1, 0],
      ['mill', 2, 1, 1],
    ]);
    assert.deepEqual(cells(await readJudged(operator, '?also_reported=true'))[0], ['mill', 3, 1, 1]);
    assert.deepEqual(await readJudged(operator, '?to=2020-01-01'), []);
    assert.equal((await readJudged(operator, '?from=2020-01-01')).length, 2);
    const { status } = await operator.call('GET', '/operator/judged?from=yesterday');
    assert.equal(status, 400);
  });

  it('is refused for too few images or for target rates that do not increase', async () => {
    const falling = await want({ aims: { ...AIMS, strict: 0.2 } });
    assert.deepEqual([falling.status, falling.body], [400, falling.body]);
    assert.match(falling.text, /invalid_request.*rise from strict to balanced/);
    assert.equal((await want({ account_ids: [] })).status, 400);
    const [desk, second] = await readJudged(operator);
    for (const [accounts, received] of [
      // The accounts have three and two genuine images, and at most two of each account count. One account has an AI image.
      [
        [desk?.id, second?.id],
        '4. Not counted: 0 copies, 0 refused, 0 with both labels, 2 beyond half of one',
      ],
      // Images of a single account are not used for other accounts, and images of accounts that were not
      // named never count.
      [[desk?.id], '0. Not counted: 0 copies, 0 refused, 0 with both labels, 3 beyond half of one'],
      [['acc_x'], '0. Not counted: 0 copies, 0 refused, 0 with both labels'],
    ] as const) {
      const asked = await want({ account_ids: accounts });
      assert.equal(asked.status, 201, asked.text);
      const { state, reason, outcome } = await waitForEnd(operator, asked.body.id);
      assert.deepEqual([state, outcome], ['refused', null]);
      const expected = `Expected at least 300 different genuine images but received ${received}`;
      assert.equal(reason?.slice(0, expected.length), expected);
      await operator.call('DELETE', `/operator/thresholds/${asked.body.id}`);
    }
  });

  it('changes results and records until the shipped thresholds are restored', async function () {
    this.timeout(600_000);
    const shipped = shippedBands();
    const before = await check();
    assert.deepEqual([before.is_ai, before.bands_version], [false, shipped.version]);
    const bands = keenBands('keen');
    const id = await addThresholds(service().database, 'keen', bands);
    await activate(operator, id);
    const after = await follow(bands.version);
    assert.deepEqual([after.is_ai, after.model], [true, shipped.model]);
    assert.deepEqual(after.scores, before.scores);
    const { active, bands_version: version, model } = await readThresholds(operator);
    assert.deepEqual([active?.name, version, model], ['keen', bands.version, shipped.model]);
    assert.deepEqual((await verify(after.details?.record)).slice(-2), [
      ['scores', true],
      ['verdict', true],
    ]);
    // The record was made with other thresholds: its scores are equal, but the verdicts are not compared.
    assert.deepEqual((await verify(before.details?.record)).slice(-2), [
      ['scores', true],
      ['verdict', null],
    ]);
    const inUse = await operator.call('DELETE', `/operator/thresholds/${id}`);
    assert.match(inUse.text, /These thresholds are in use/);
    await activate(operator, null);
    assert.equal((await follow(shipped.version)).is_ai, false);
    assert.equal((await operator.call('DELETE', `/operator/thresholds/${id}`)).status, 204);
  });

  it('does not allow activating thresholds fitted to another model', async () => {
    const id = await addThresholds(service().database, 'old', keenBands('old', 'telltale-1.0.0'));
    const refused = await operator.call('PUT', '/operator/thresholds/active', { id });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /are for telltale-1\.0\.0, but the models are telltale-/);
  });
});
