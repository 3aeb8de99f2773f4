// Tests verifying a record in the console: findings, costs and files that are not records.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckPage, Health, Verification, Usage } from '../../../src/service/console/shapes.js';
import type { SignedRecord } from '../../../src/record/content/schema.js';
import { writeJson } from '../../../src/record/keys/keys.js';
import { findSerious, findSeriousOn, openPage } from '../../support/browser.js';
import { signIn, type Reply, type Refusal, type ConsoleClient } from '../../support/console.js';
import { makeFolder } from '../../support/folders.js';
import { makeManipulated, SCENE_JPEG } from '../../support/images.js';
import { fixture } from '../../support/telltale.js';
import { ANN, openVisit, type Visit } from '../../support/visit.js';

describe('verifying an evidence record in the console', function () {
  this.timeout(600_000);
  let visit: Visit;
  let swapped: Buffer;
  let client: ConsoleClient;
  let signed: SignedRecord;
  let html: string;
  const folder = makeFolder('verify');

  before(async () => {
    swapped = await makeManipulated();
    visit = await openVisit();
    const person = { account: 'acme', email: 'bob@acme.example', role: 'member', plan: 'growth' } as const;
    client = await signIn(visit.bench, person);
    signed = (await client.check(swapped, '?include=record')).body.details?.record as SignedRecord;
    html = (await client.call('POST', '/records/page', signed)).text;
  });
  after(() => visit.close());

  const used = async (): Promise<number> =>
    (await client.call<Usage>('GET', '/usage')).body.plans.reduce((sum, plan) => sum + plan.used, 0);
  /** Sends files in a form, as the page does. */
  const verify = <T = Refusal>(...files: readonly (string | Uint8Array)[]): Promise<Reply<T>> =>
    verifyWith({}, files);
  const verifyWith = async <T>(
    headers: Record<string, string>,
    files: readonly (string | Uint8Array)[],
  ): Promise<Reply<T>> => {
    const form = new FormData();
    for (const file of files) form.append('files', new Blob([file as string]), 'file');
    const { url } = visit.bench;
    const response = await fetch(`${url}/console/api/records/verify`, {
      method: 'POST',
      headers: { origin: url, cookie: client.cookie, ...headers },
      body: form,
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) as T };
  };
  const judge = async (...files: readonly (string | Uint8Array)[]) => {
    const { status, text, body } = await verify<Verification>(...files);
    assert.equal(status, 200, text);
    return {
      holds: body.holds,
      findings: body.findings.map(({ about, holds }) => `${about} ${String(holds)}`),
    };
  };

  it('repeats the check if the image belongs to the record, and charges it as a check', async () => {
    const before = await used();
    assert.deepEqual(await judge(html, swapped), {
      holds: true,
      findings: ['signature true', 'page true', 'picture true', 'scores true', 'verdict true'],
    });
    assert.equal(await used(), before + 1);
    const { checks } = (await client.call<CheckPage>('GET', '/checks')).body;
    assert.deepEqual([checks.length, checks[0]?.member], [2, 'bob@acme.example']);
  });

  it('charges only once per Idempotency-Key', async () => {
    const before = await used();
    const headers = { 'idempotency-key': 'once' };
    const first = await verifyWith(headers, [html, swapped]);
    const second = await verifyWith(headers, [html, swapped]);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
    assert.equal(second.text, first.text);
    assert.equal(await used(), before + 1);
    const { status, body } = await verifyWith<Refusal>(headers, [html, SCENE_JPEG]);
    assert.deepEqual([status, body.error.code], [409, 'idempotency_mismatch']);
  });

  it('charges nothing if no check is repeated', async () => {
    const before = await used();
    assert.deepEqual(await judge(writeJson(signed)), {
      holds: true,
      findings: ['signature true', 'picture null'],
    });
    assert.deepEqual(await judge(writeJson(signed), SCENE_JPEG), {
      holds: false,
      findings: ['signature true', 'picture false'],
    });
    const changed = writeJson(signed).replace('"is_ai":true', '"is_ai":false');
    assert.deepEqual(await judge(changed, swapped), { holds: false, findings: ['signature false'] });
    assert.equal(await used(), before);
  });

  it('does not repeat the check if the quota of the plan is used up', async () => {
    const spend = (checks: number) =>
      visit.bench.database.run((queries) =>
        queries('usage_periods').where({ plan: 'growth' }).update({ checks }),
      );
    const before = await used();
    const operator = await signIn(visit.bench, ANN);
    const inspected = async () =>
      (await operator.call<Health>('GET', '/operator/health')).body.engine.inspected;
    const inspectedBefore = await inspected();
    await spend(10_000_000);
    const { status, body } = await verify(html, swapped);
    await spend(before);
    assert.deepEqual([status, body.error.code], [429, 'quota_exceeded']);
    assert.equal(await used(), before);
    assert.equal(await inspected(), inspectedBefore, 'the quota is looked at before the image');
  });

  it('counts a request with a different image against the rate limit of the plan', async () => {
    const setFull = (fullAt: number) =>
      visit.bench.database.run((queries) =>
        queries('rate_limits').where({ plan: 'growth' }).update({ full_at: fullAt }),
      );
    // The bucket becomes full later than a burst allows, but not so late that the clock must have been set
    // back.
    await setFull(Date.now() + 33_000);
    const { status, body } = await verify(writeJson(signed), SCENE_JPEG);
    await setFull(0);
    assert.deepEqual([status, body.error.code], [429, 'rate_limited']);
  });

  it('refuses hostile files with a one-line message', async () => {
    const json = writeJson(signed);
    const refusals: readonly (readonly [RegExp, readonly (string | Uint8Array)[]])[] = [
      [/at most \d+ bytes/, [Buffer.alloc(100 << 20, '[')]],
      [/at most \d+ bytes/, [Buffer.alloc(5 << 20, '[')]],
      [/repeated fields/, [json.replace('"is_ai":true', '"is_ai":false,"is_ai":true')]],
      [/truncated/, [html.slice(0, -100)]],
      [/truncated/, [html.slice(0, 3000), swapped]],
      [/not a record of Telltale/, ['']],
      [/not a record/, [JSON.stringify('x'.repeat(4_000_000))]],
      [/not a record/, [`${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}`]],
      [/contains no record/, ['<!'.repeat(2_000_000)]],
      [/too many parts/, [json.replace('{"record":{', `{"record":{${'"n":1,'.repeat(30_000)}`)]],
      [/not UTF-8 text/, [swapped, html]],
      [/received none/, []],
      [/received more/, [json, swapped, swapped]],
      [/more than 20 MB/, [json, Buffer.alloc(21 << 20)]],
    ];
    for (const [message, files] of refusals) {
      const { status, body } = await verify(...files);
      const { code, message: line } = body.error as { code: string; message: string };
      assert.ok(status >= 400 && status < 500, `${String(message)}: ${status} ${line}`);
      assert.match(line, message);
      assert.doesNotMatch(line, /\n/, code);
    }
  });

  it('accepts dropped and chosen files, and reports each finding on its own line', async () => {
    const { page } = visit;
    await openPage(page, 'Verify');
    const transfer = await page.evaluateHandle(
      ([record, image]) => {
        const bytes = Uint8Array.from(atob(image ?? ''), (letter) => letter.charCodeAt(0));
        const dropped = new DataTransfer();
        dropped.items.add(new File([record ?? ''], 'one.record.html', { type: 'text/html' }));
        dropped.items.add(new File([bytes], 'one.jpg', { type: 'image/jpeg' }));
        return dropped;
      },
      [html, swapped.toString('base64')],
    );
    await page.dispatchEvent('form', 'drop', { dataTransfer: transfer });
    await page.getByText('one.jpg').waitFor();
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByRole('heading', { name: 'Nothing was found wrong' }).waitFor();
    const rows = await page.locator('[aria-label="What holds"] tbody tr').allInnerTexts();
    assert.deepEqual(
      rows.map((row) => row.split('\t').slice(0, 2).join(': ')),
      ['Signature', 'Page', 'Image', 'Scores', 'Verdict'].map((about) => `${about}: holds`),
    );
  });

  it('detects a single flipped bit', async () => {
    const { page } = visit;
    const spoilt = Buffer.from(writeJson(signed));
    spoilt[spoilt.indexOf('"reason":"') + 10]! ^= 1;
    const path = join(folder, 'spoilt.json');
    writeFileSync(path, spoilt);
    await page.getByLabel('Record').setInputFiles(path);
    await page.getByLabel('Its image').setInputFiles([]);
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByRole('heading', { name: 'It does not hold' }).waitFor();
    await page.getByText('the record was changed after it was signed').waitFor();
  });

  it('explains what is wrong with a file that is not a record', async () => {
    const { page } = visit;
    await page.getByLabel('Record').setInputFiles(fixture('jpeg/scene.jpg'));
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('This is not a record: it is not UTF-8 text').waitFor();
    assert.equal(await page.getByRole('heading', { name: 'It does not hold' }).count(), 0);
  });

  it('passes the axe accessibility check in light and dark mode and contacts no other host', async () => {
    const { page, watch } = visit;
    await page.getByLabel('Record').setInputFiles({
      name: 'one.html',
      mimeType: 'text/html',
      buffer: Buffer.from(html),
    });
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByRole('heading', { name: 'Nothing was found wrong' }).waitFor();
    assert.deepEqual(await findSerious(page), []);
    assert.deepEqual(await findSeriousOn(page, ['Verify']), []);
    // The browser logs the refused file.
    const unexpected = watch.errors.filter((line) => !/status of 400.*\/records\/verify/.test(line));
    assert.deepEqual([unexpected, watch.foreignRequests], [[], []]);
  });
});
