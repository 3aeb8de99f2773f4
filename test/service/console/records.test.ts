// Tests records in the console: access, contents and the files that its buttons save.
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sweepHistory } from '../../../src/accounts/history/sweep.js';
import { loadKeySet } from '../../../src/record/keys/key-set.js';
import { generateSigner, signRecord } from '../../../src/record/keys/keys.js';
import { readRecord } from '../../../src/record/verify/read-record.js';
import type { SignedRecord } from '../../../src/record/content/schema.js';
import { holdsAll, verifyRecord } from '../../../src/record/verify/verify.js';
import { digestBytes } from '../../../src/library/base/bytes.js';
import { countSheets, findSerious, openPage } from '../../support/browser.js';
import { callConsole, signIn } from '../../support/console.js';
import { ROOT } from '../../support/telltale.js';
import { openVisit, type Visit } from '../../support/visit.js';

const SAMPLE = join(ROOT, 'samples/portrait.png');
const portrait = readFileSync(SAMPLE);

describe('evidence records in the console', function () {
  this.timeout(600_000);
  let visit: Visit;

  before(async () => {
    visit = await openVisit();
  });
  after(() => visit.close());

  const enter = (name: string, plan = 'growth') =>
    signIn(visit.bench, { account: name, email: `member@${name}.example`, role: 'member', plan });
  /**
   * Reads a file as a record and asserts that it is unchanged and signed by this service. Also returns
   * whether it is a page.
   */
  const read = async (file: string | Buffer) => {
    const received = readRecord(Buffer.from(file));
    const keys = await loadKeySet(`${visit.bench.url}/.well-known/telltale-keys.json`);
    const findings = await verifyRecord(received, keys, null, () => assert.fail('no check is due'));
    assert.ok(holdsAll(findings), JSON.stringify(findings));
    return { isPage: received.page !== null, record: received.signed.record };
  };

  it('contain a check of the history, and the image if the image was stored', async () => {
    const client = await enter('acme');
    const kept = await client.check(portrait, '?store=true');
    const bare = await client.check(portrait);
    const answer = await client.call('GET', `/checks/${kept.body.id}/record`);
    assert.equal(answer.status, 200, answer.text);
    const { record } = await read(answer.text);
    const { id, reason } = kept.body;
    assert.deepEqual([record.source, record.id, record.verdict?.reason], ['history', id, reason]);
    assert.equal(record.request_id, kept.headers.get('x-request-id'));
    assert.equal(record.picture.sha256, await digestBytes(portrait));
    assert.ok(record.picture.preview);
    const without = await read((await client.call('GET', `/checks/${bare.body.id}/record`)).text);
    assert.deepEqual([without.record.id, without.record.picture.sha256], [bare.body.id, null]);
  });

  it('are available only to the check’s own account, and only while the check is in the history', async () => {
    const [mine, theirs] = [await enter('acme'), await enter('globex')];
    const path = `/checks/${(await mine.check(portrait)).body.id}/record`;
    assert.equal((await mine.call('GET', path)).status, 200);
    const foreign = await theirs.call('GET', path);
    assert.deepEqual([foreign.status, foreign.body.error.code], [404, 'not_found']);
    assert.equal((await callConsole(visit.bench.url, 'GET', path)).status, 401);
    await forgetHistory();
    const gone = await mine.call('GET', path);
    assert.deepEqual([gone.status, gone.body.error.code], [404, 'not_found']);
  });

  it('count as requests against the rate limit of the plan', async () => {
    const client = await enter('hurried', 'free');
    const statuses: number[] = [];
    while (statuses.length < 20 && !statuses.includes(429))
      statuses.push((await client.call('GET', '/checks/chk_none/record')).status);
    assert.equal(statuses.at(-1), 429);
  });

  it('come as an HTML page only if this service signed them', async () => {
    const client = await enter('acme');
    const { details } = (await client.check(portrait, '?include=record')).body;
    const signed = details?.record as SignedRecord;
    const drawn = await client.call('POST', '/records/page', signed);
    assert.equal(drawn.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(drawn.headers.get('content-security-policy'), "default-src 'none'; sandbox");
    assert.match(drawn.headers.get('content-disposition') ?? '', /^attachment; /);
    assert.deepEqual(await read(drawn.text), { isPage: true, record: signed.record });
    const forged = signRecord(signed.record, generateSigner());
    const changed = { ...signed, record: { ...signed.record, id: 'chk_another' } };
    for (const wrong of [forged, changed, {}, { ...signed, more: 'x'.repeat(5_000_000) }]) {
      const refused = await client.call('POST', '/records/page', wrong);
      assert.deepEqual([refused.status, refused.body.error.code], [400, 'invalid_request']);
    }
  });

  const save = async (button: string) => {
    const saving = visit.page.waitForEvent('download');
    await visit.page.getByRole('button', { name: button, exact: true }).click();
    const download = await saving;
    const path = await download.path();
    return { name: download.suggestedFilename(), path, ...(await read(readFileSync(path))) };
  };
  /** Opens a saved page in a separate window and checks it. */
  const look = async (path: string): Promise<void> => {
    const copy = `${path}.html`;
    copyFileSync(path, copy);
    const page = await (await visit.browser.newContext()).newPage();
    await page.goto(pathToFileURL(copy).href);
    assert.deepEqual(await findSerious(page), []);
    const sheets = await countSheets(page);
    assert.ok(sheets >= 1 && sheets <= 2, `${sheets} sheets`);
    await page.context().close();
  };

  it('can be saved from the Try page as HTML and JSON, with the whole check', async () => {
    const { page } = visit;
    await page.getByLabel('Keep images').check();
    await page.locator('input[type=file]').setInputFiles(SAMPLE);
    const drawn = await save('Save record');
    assert.match(drawn.name, /^chk_[0-9A-Z]{26}\.record\.html$/);
    assert.deepEqual([drawn.isPage, drawn.record.source], [true, 'check']);
    assert.ok(drawn.record.heat_map!.length > 100 && drawn.record.picture.preview);
    const { name, isPage, record } = await save('Record as JSON');
    assert.deepEqual([name, isPage], [drawn.name.replace('html', 'json'), false]);
    assert.deepEqual(record, drawn.record);
    await look(drawn.path);
  });

  it('can be saved from the Checks page, with the data in the history and the stored image', async () => {
    const { page } = visit;
    await openPage(page, 'Checks');
    await page.locator('.history li a').click();
    const drawn = await save('Save record');
    assert.deepEqual([drawn.isPage, drawn.record.source], [true, 'history']);
    assert.equal(drawn.record.picture.sha256, await digestBytes(portrait));
    assert.deepEqual((await save('Record as JSON')).record, drawn.record);
    await look(drawn.path);
  });

  it('lead to an error on the page if their check is no longer in the history', async () => {
    await forgetHistory();
    await visit.page.getByRole('button', { name: 'Save record', exact: true }).click();
    await visit.page.getByText('This account has no such check in its history').waitFor();
    await visit.page.keyboard.press('Escape');
  });

  it('contain the refusal if the image was refused', async () => {
    const { page, watch } = visit;
    await openPage(page, 'Try');
    await page.locator('input[type=file]').setInputFiles(join(ROOT, 'samples/portrait-too-small.png'));
    await page.getByText('The shorter side must have at least 256 px').waitFor();
    const { name, record } = await save('Save record');
    assert.deepEqual([name, record.refusal?.code], ['refusal.record.html', 'image_too_small']);
    // The browser logs the deleted check and the refused image.
    const unexpected = watch.errors.filter((line) => !/status of 4(04|22)/.test(line));
    assert.deepEqual([unexpected, watch.foreignRequests], [[], []]);
  });

  async function forgetHistory(): Promise<void> {
    // A check is deleted only if it is older than the present millisecond.
    await new Promise((resolve) => setTimeout(resolve, 5));
    await sweepHistory(visit.bench.database, 0);
  }
});
