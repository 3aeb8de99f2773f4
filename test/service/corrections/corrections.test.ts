// Corrections of the console: learned from reports, in force in every process within seconds, taken back; a check is of one whole.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { loadKeySet } from '../../../src/record/keys/key-set.js';
import { readRecord } from '../../../src/record/verify/read-record.js';
import { holdsAll, verifyRecord } from '../../../src/record/verify/verify.js';
import { describeOnEachDatabase } from '../../support/databases.js';
import { signIn, type ConsoleClient } from '../../support/console.js';
import {
  drawPlasma,
  FOLLOW_MS,
  learn,
  putInForce,
  readCorrections,
  reportAsGenerated,
  waitForEnd,
} from '../../support/reports.js';
import { openBench, postForm, type ServiceBench } from '../../support/service.js';
import { makeSmallReference } from '../../support/small-reference.js';

describeOnEachDatabase('corrections', (databases) => {
  const pictures = drawPlasma(10);
  const picture = pictures[9] as Buffer;
  let folder = '';
  let modelsDir = '';
  let benches: ServiceBench[] = [];
  let operator: ConsoleClient;
  let key = '';

  before(async function () {
    this.timeout(600_000);
    folder = mkdtempSync(join(tmpdir(), 'telltale-corrections-'));
    modelsDir = makeSmallReference();
    // Two processes of one installation share database and store.
    const changes = { store: { kind: 'folder', path: join(folder, 'store') }, modelsDir } as const;
    benches = [await openBench(databases.setting(), changes), await openBench(databases.setting(), changes)];
    operator = await signIn(first(), { account: 'desk', email: 'op@desk.example', role: 'operator' });
    key = await first().newKey();
  });
  after(async () => {
    for (const bench of benches) await bench.close();
    for (const made of [folder, modelsDir]) rmSync(made, { recursive: true, force: true });
  });

  const first = (): ServiceBench => benches[0] as ServiceBench;
  const second = (): ServiceBench => benches[1] as ServiceBench;
  const check = async ({ url }: ServiceBench, query = '') => {
    const { status, text, body } = await postForm(`${url}/v1/check${query}`, key, 'file', [picture]);
    assert.equal(status, 200, text);
    return body;
  };
  const readReady = async ({ url }: ServiceBench) =>
    (await (await fetch(`${url}/readyz`)).json()) as Record<string, unknown>;
  /** Waits until checks of this process are by that model. */
  const follow = async (bench: ServiceBench, model: string): Promise<void> => {
    const endMs = Date.now() + FOLLOW_MS;
    while ((await readReady(bench))['model'] !== model) {
      assert.ok(Date.now() < endMs, `no ${model} within ${FOLLOW_MS} ms`);
      await setTimeout(100);
    }
  };

  it('are the operator’s alone', async () => {
    const owner = await signIn(first(), { account: 'desk', email: 'own@desk.example', role: 'owner' });
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['POST', '', { name: 'x' }],
      ['PUT', '/in-force', { id: null }],
      ['DELETE', '/cor_1', undefined],
    ] as const) {
      const answer = await owner.call(method, `/operator/corrections${path}`, body);
      assert.deepEqual([answer.status, answer.body.error.code], [403, 'forbidden'], `${method} ${path}`);
    }
  });

  it('of too few reports are refused with the numbers', async function () {
    this.timeout(600_000);
    await reportAsGenerated(operator, pictures.slice(0, 2));
    const { state, reason } = await learn(operator, 'early');
    assert.equal(state, 'refused');
    assert.match(
      reason ?? '',
      /^Expected at least 8 AI or 20 genuine pictures, .* received 0 and 0 \(.* 2 beyond half of one account\)/,
    );
    const { status } = await operator.call('DELETE', `/operator/corrections/${(await newest()).id}`);
    assert.equal(status, 204);
  });

  const newest = async () => {
    const [correction] = (await readCorrections(operator)).corrections;
    assert.ok(correction);
    return correction;
  };

  it('of one account’s reports teach the other accounts nothing', async function () {
    this.timeout(600_000);
    await reportAsGenerated(operator, pictures.slice(2, 5));
    const { state, reason } = await learn(operator, 'alone');
    assert.equal(state, 'refused');
    assert.match(reason ?? '', /received 0 and 0 \(.*, 5 beyond half of one account\)/);
    const { reported } = await readCorrections(operator);
    assert.deepEqual(reported.accounts, [{ name: 'desk', ai: 5, genuine: 0 }]);
    await operator.call('DELETE', `/operator/corrections/${(await newest()).id}`);
  });

  it('are learned from reports, reach every process, and no check is lost or of two halves', async function () {
    this.timeout(600_000);
    const mill = await signIn(first(), { account: 'mill', email: 'm@mill.example', role: 'owner' });
    await reportAsGenerated(mill, pictures.slice(5, 9));
    const { body: asked } = await operator.call<{ id: string }>('POST', '/operator/corrections', {
      name: 'desk',
    });
    const busy = await operator.call('POST', '/operator/corrections', { name: 'other' });
    assert.deepEqual([busy.status, busy.body.error.code], [400, 'invalid_request']);
    const learned = await waitForEnd(operator, asked.id);
    assert.equal(learned.state, 'ready', learned.reason ?? '');
    // One of the five of the account that has reported most is left out.
    assert.deepEqual([learned.seen, learned.pictures], [8, 8]);
    assert.deepEqual(learned.outcome?.table[1]?.slice(0, 2), ['your AI pictures', '0 of 8, 0%']);
    assert.match(learned.outcome.warnings[0] ?? '', /^1 picture is left out: at most half may come from one/);
    const { reported } = await readCorrections(operator);
    assert.deepEqual(reported.accounts, [
      { name: 'desk', ai: 5, genuine: 0 },
      { name: 'mill', ai: 4, genuine: 0 },
    ]);
    assert.match(learned.card ?? '', /^# telltale-\d+\.\d+\.\d+\+desk\.\d{8}\n/);
    const twin = await operator.call('POST', '/operator/corrections', { name: 'desk' });
    assert.match(twin.text, /there is a correction desk already/);

    const before = await check(second());
    const over = new AbortController();
    const seen: string[] = [];
    const watch = (async () => {
      while (!over.signal.aborted) {
        const { model, bands_version: bands, scores } = await check(second());
        seen.push(JSON.stringify([model, bands, scores.full_image_specialist]));
      }
    })();
    const model = /telltale-\S+/.exec(learned.card ?? '')?.[0] ?? '';
    const waitUntilSeen = async (by: string): Promise<void> => {
      while (!seen.some((of) => of.includes(`"${by}"`))) await Promise.race([watch, setTimeout(50)]);
    };
    const turnOnAndOff = async () => {
      await waitUntilSeen(before.model);
      await putInForce(operator, learned.id);
      await Promise.all([follow(first(), model), follow(second(), model)]);
      await waitUntilSeen(model);
      const after = await check(second());
      const ready = await readReady(second());
      assert.deepEqual([ready['model'], ready['bands_version']], [model, after.bands_version]);
      await putInForce(operator, null);
      await Promise.all([follow(first(), before.model), follow(second(), before.model)]);
      return after;
    };
    const after = await turnOnAndOff().finally(() => over.abort());
    await watch;
    assert.deepEqual([before.is_ai, after.is_ai], [false, true]);
    assert.match(after.bands_version, /\+desk\.[0-9a-f]{8}$/);
    const whole = [before, after].map((of) =>
      JSON.stringify([of.model, of.bands_version, of.scores.full_image_specialist]),
    );
    assert.deepEqual([...new Set(seen)].sort(), whole.sort());
  });

  it('stand in the batch and in the record of a check, which can be run again', async function () {
    this.timeout(600_000);
    const { id, card } = await newest();
    const model = /telltale-\S+/.exec(card ?? '')?.[0] ?? '';
    await putInForce(operator, id);
    await follow(first(), model);
    const { body } = await postForm(`${first().url}/v1/check/batch`, key, 'files', [picture, picture]);
    const models = [body.model, ...body.results.map((result) => result.model)];
    assert.deepEqual([...new Set(models)], [model]);
    const inForce = await operator.call('DELETE', `/operator/corrections/${id}`);
    assert.match(inForce.text, /it is in force/);
    const { details } = await check(first(), '?include=record');
    const received = readRecord(Buffer.from(JSON.stringify(details?.record)));
    const files = received.signed.record.made_with.files?.map(({ name }) => name) ?? [];
    assert.ok(files.includes('adaptation.json'));
    const form = new FormData();
    form.append('files', new Blob([JSON.stringify(details?.record)]), 'record.json');
    form.append('files', new Blob([new Uint8Array(picture)]), 'picture.bmp');
    const again = await fetch(`${first().url}/console/api/records/verify`, {
      method: 'POST',
      headers: { origin: first().url, cookie: operator.cookie },
      body: form,
    });
    const verified = (await again.json()) as {
      holds: boolean;
      findings: { about: string; holds: boolean }[];
    };
    assert.deepEqual(verified.findings.map(({ about, holds }) => [about, holds]).slice(-2), [
      ['scores', true],
      ['verdict', true],
    ]);
    await putInForce(operator, null);
    await follow(first(), received.signed.record.made_with.model.replace(/\+.*/, ''));
    const keys = await loadKeySet(`${first().url}/.well-known/telltale-keys.json`);
    const findings = await verifyRecord(received, keys, null, () => assert.fail('no check is due'));
    assert.ok(holdsAll(findings));
  });

  it('of other networks can’t be put in force, and where they are, what shipped serves', async function () {
    this.timeout(600_000);
    const { id } = await newest();
    await first().database.run((queries) =>
      queries('corrections')
        .where({ id })
        .update({ adaptation: queries.raw(`replace(adaptation, '"digest": "', '"digest": "0')`) }),
    );
    const { model } = await check(first());
    const refused = await operator.call('PUT', '/operator/corrections/in-force', { id });
    assert.match(refused.text, /is for the networks of/);
    // As after an upgrade.
    await first().database.run((queries) => queries('correction_in_force').update({ correction_id: id }));
    const endMs = Date.now() + FOLLOW_MS;
    const isTold = (): boolean => first().logged.some((line) => line.includes('is for the networks of'));
    while (!isTold() && Date.now() < endMs) await setTimeout(100);
    assert.ok(isTold());
    assert.equal((await check(first())).model, model);
    await putInForce(operator, null);
  });
});
