// Tests scans in the console with PostgreSQL: started, watched, read and cancelled in a real browser, and
// their routes.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { findAccount } from '../../../src/accounts/accounts.js';
import type { CheckPage, ScanPage, ShownScanDetail } from '../../../src/service/console/shapes.js';
import { createItemBatchKind } from '../../../src/service/scans/item-batches.js';
import { cancelAbandonedUploads } from '../../../src/service/scans/end.js';
import { openScan } from '../../../src/service/scans/work/open-scan.js';
import { atEachLook, findSerious, openConsole, openPage, type Person } from '../../support/browser.js';
import { closeWindows, sharedBrowser } from '../../support/visit.js';
import { callConsole, signIn, type ConsoleClient } from '../../support/console.js';
import { sharedPostgres } from '../../support/databases.js';
import { makeFolder } from '../../support/folders.js';
import { makeBmp, SCENE_JPEG } from '../../support/images.js';
import { openInternet, openScanBench, type Internet, type ScanBench } from '../../support/scans.js';
import { ROOT } from '../../support/telltale.js';

const DESK: Person = { account: 'desk', email: 'ann@desk.example', role: 'member' };
const COLLEAGUE: Person = { ...DESK, email: 'bob@desk.example' };
const SIGNED = readFileSync(join(ROOT, 'samples/scene-signed-ai.jpg'));

describe('scans in the console', function () {
  this.timeout(600_000);
  let bench: ScanBench;
  let internet: Internet;
  let base: string;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  const folder = makeFolder('folder');
  let errors: string[];

  before(async function () {
    const postgres = await sharedPostgres();
    if (postgres === null) return this.skip();
    internet = await openInternet((req, res) => {
      const path = req.url ?? '';
      if (path.startsWith('/scene')) res.end(SCENE_JPEG);
      else if (path.startsWith('/signed')) res.end(SIGNED);
      else if (!path.startsWith('/hang')) res.writeHead(404).end();
    });
    base = `http://pictures.example.org:${internet.port}`;
    bench = await openScanBench(postgres, {
      trustDir: join(ROOT, 'samples/trust'),
      deadlineMs: 120_000,
    });
    // Long time limit, so that a slow machine cancels a scan before its image that hangs is given up.
    await bench.startWorker({ timeoutMs: 120_000 });
    browser = await sharedBrowser();
    const opened = await openConsole(browser, bench.service, DESK);
    ({ context, page } = opened);
    ({ errors } = opened.watch);
  });
  after(async () => {
    await context.close();
    await closeWindows();
    // Ends the images that hang, for which the worker would wait.
    internet.close();
    await bench.close();
  });

  const begin = async (way: string, fill: () => Promise<unknown>): Promise<void> => {
    await openPage(page, 'Scans');
    await page.locator('.new-scan').getByText(way, { exact: true }).click();
    await fill();
    await page.getByRole('button', { name: 'Begin the scan' }).click();
    await page.getByRole('region', { name: 'Progress' }).waitFor();
  };
  const rows = () => page.locator('.history li');
  const form = (...parts: readonly [string, string | Blob][]): FormData => {
    const body = new FormData();
    for (const [name, value] of parts) body.append(name, value);
    return body;
  };
  /** Sends a form as a signed-in client, because the test client's `call` sends only JSON. */
  const sendForm = (client: ConsoleClient, method: string, path: string, body: FormData) =>
    fetch(`${bench.service.url}/console/api${path}`, {
      method,
      headers: { origin: bench.service.url, cookie: client.cookie },
      body,
    });
  const beginFolder = async (client: ConsoleClient, names: readonly string[]): Promise<string> => {
    const list = names.map((ref) => JSON.stringify({ ref })).join('\n');
    const answer = await sendForm(client, 'POST', '/scans/folder', form(['file', new Blob([list])]));
    assert.equal(answer.status, 202);
    return ((await answer.json()) as { id: string }).id;
  };
  const read = async (client: ConsoleClient, id: string): Promise<ShownScanDetail> =>
    (await client.call<ShownScanDetail>('GET', `/scans/${id}`)).body;

  it('start from pasted addresses, list the worst results first and explain failed items', async () => {
    await begin('Addresses', () =>
      page
        .getByLabel('Addresses one per line')
        .fill(
          [`${base}/scene?1`, `${base}/signed`, 'noaddress', `${base}/scene?2`, `${base}/gone`].join('\n'),
        ),
    );
    await page.getByText('Finished: 5 of 5').waitFor();
    await page.waitForFunction(() => document.querySelectorAll('.history li').length === 3);
    assert.match(await rows().first().innerText(), /AI detected/);
    assert.match(await rows().last().innerText(), /No AI detected/);
    const failed = page.getByRole('region', { name: 'Not checked', exact: true }).last();
    for (const reason of [/The address is not an absolute/, /404/]) await failed.getByText(reason).waitFor();
    assert.doesNotMatch(await failed.innerText(), /_url|url_/);
    // Texts that are equal for all images of a scan are not repeated in each row.
    assert.doesNotMatch(await rows().first().innerText(), /ann@desk|in the scan of/);
    for (const name of ['Person or key', 'From', 'To'])
      assert.equal(await page.getByLabel(name, { exact: true }).count(), 0, name);
    assert.match(await page.locator('.tally').innerText(), /AI detected\s+1\s/);
    await page.getByLabel('Result').selectOption('AI detected');
    await page.waitForFunction(() => document.querySelectorAll('.history li').length === 1);
    await page.getByLabel('Result').selectOption('Every result');
    await page.waitForFunction(() => document.querySelectorAll('.history li').length === 3);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    const csv = readFileSync(await (await download).path(), 'utf8')
      .trim()
      .split('\r\n');
    assert.equal(csv.length, 1 + 3 + 2);
    assert.match(csv[1] ?? '', /AI detected/);
    assert.ok(csv.slice(4).every((line) => line.includes('Not checked')));
  });

  it('are named next to their checks on the Checks page, with a link to the scan', async () => {
    await rows().first().getByRole('link').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('by hand, ann@desk.example').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Only those of the scan of').waitFor();
    await page.waitForFunction(() => document.querySelectorAll('.history li').length === 3);
    assert.doesNotMatch(await rows().first().innerText(), /in the scan of/);
    await page.getByText('Only those of').getByRole('link').click();
    await page.getByText('Finished: 5 of 5').waitFor();
  });

  it('can start from a list file, and are named after the file', async () => {
    const list = `ref,url\nfirst,${base}/scene?3\n"=cmd()",${base}/scene?4\n`;
    await begin('A list', () =>
      page
        .locator('input[name=list]')
        .setInputFiles([{ name: 'week 47.csv', mimeType: 'text/csv', buffer: Buffer.from(list) }]),
    );
    await page.getByRole('heading', { level: 1, name: 'Week 47.csv' }).waitFor();
    await page.getByText('Finished: 2 of 2').waitFor();
    await openPage(page, 'Scans');
    await page
      .getByRole('row', { name: /week 47\.csv/ })
      .getByText('finished')
      .waitFor();
  });

  it('can start from a folder, whose images the page uploads and the service does not store', async () => {
    const press = join(folder, 'press');
    mkdirSync(join(press, 'within'), { recursive: true });
    writeFileSync(join(press, 'one.jpg'), SCENE_JPEG);
    writeFileSync(join(press, 'within/two.jpg'), SIGNED);
    writeFileSync(join(press, 'small.bmp'), makeBmp(100, 100));
    writeFileSync(join(press, 'notes.txt'), 'no image');
    await begin('A folder', () => page.locator('input[name=folder]').setInputFiles(press));
    await page.getByRole('heading', { level: 1, name: 'Press' }).waitFor();
    await page.getByText('Finished: 3 of 3').waitFor();
    await page.waitForFunction(() => document.querySelectorAll('.history li').length === 2);
    assert.match(await rows().first().innerText(), /two\.jpg[^]*AI detected/);
    await page.getByText('The shorter side must have at least').waitFor();
    const kept = await bench.service.database.run((queries) => queries('images').select('id'));
    assert.deepEqual(kept, []);
  });

  it('are cancelled only after a confirmation', async () => {
    await begin('Addresses', () => page.getByLabel('Addresses one per line').fill(`${base}/hang`));
    await page.getByText(/0 of 1/).waitFor();
    await page.getByRole('button', { name: 'Cancel the scan' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the scan' }).click();
    await page.getByText('Cancelled after 0 of 1: a member cancelled it').waitFor();
  });

  it('pass the axe accessibility check in light mode, dark mode and on a phone', async () => {
    await atEachLook(page, async () => {
      await openPage(page, 'Scans');
      await page.getByRole('row', { name: /week 47\.csv/ }).waitFor();
      assert.deepEqual(await findSerious(page), []);
      await page.getByRole('link', { name: 'press', exact: true }).click();
      await page.getByText('The shorter side must have at least').waitFor();
      await rows().first().waitFor();
      assert.deepEqual(await findSerious(page), []);
    });
    assert.deepEqual(errors, []);
  });

  it('list every image once, page by page, the most suspicious first', async () => {
    const client = await signIn(bench.service, DESK);
    const { body } = await client.call<ScanPage>('GET', '/scans');
    const first = body.scans.at(-1);
    assert.ok(first);
    const seen: string[] = [];
    let before = '';
    do {
      const at = before === '' ? '' : `&before=${before}`;
      const found = await client.call<CheckPage>('GET', `/checks?scan=${first.id}&order=worst&limit=1${at}`);
      seen.push(...found.body.checks.map(({ is_ai, id }) => `${is_ai} ${id}`));
      before = found.body.next ?? '';
    } while (before !== '');
    assert.equal(new Set(seen).size, 3);
    assert.deepEqual(
      seen.map((one) => one.split(' ')[0]),
      ['true', 'false', 'false'],
    );
  });

  it('can be read only by their account from the console’s origin, and accept images only from the member who started them', async () => {
    const [client, colleague, stranger] = await Promise.all(
      [DESK, COLLEAGUE, { ...DESK, account: 'other' }].map((person) => signIn(bench.service, person)),
    );
    assert.ok(client && colleague && stranger);
    const id = await beginFolder(client, ['a.jpg', 'b.jpg']);
    const item = `/scans/${id}/items/1`;
    const image = (): FormData => form(['file', new Blob([new Uint8Array(SCENE_JPEG)])]);
    for (const [method, path] of [
      ['GET', '/scans'],
      ['GET', `/scans/${id}`],
      ['GET', `/scans/${id}/failures`],
      ['POST', '/scans'],
      ['POST', '/scans/folder'],
      ['PUT', item],
      ['DELETE', `/scans/${id}`],
    ] as const) {
      assert.equal((await callConsole(bench.service.url, method, path)).status, 401, `${method} ${path}`);
      if (method === 'GET') continue;
      const headers = { origin: 'https://evil.example' };
      assert.equal((await client.call(method, path, undefined, headers)).status, 400, `${method} ${path}`);
    }
    for (const [method, path] of [
      ['GET', `/scans/${id}`],
      ['GET', `/scans/${id}/failures`],
      ['DELETE', `/scans/${id}`],
    ] as const)
      assert.equal((await stranger.call(method, path)).status, 404, `${method} ${path}`);
    assert.deepEqual((await stranger.call<ScanPage>('GET', '/scans')).body.scans, []);
    assert.equal((await sendForm(stranger, 'PUT', item, image())).status, 404);
    assert.equal((await sendForm(colleague, 'PUT', item, image())).status, 404);
    assert.equal((await read(colleague, id)).is_mine, false);
    // Repeating an upload gives the same response and one charge. An image with an address accepts no upload.
    assert.equal((await sendForm(client, 'PUT', item, image())).status, 204);
    assert.equal((await sendForm(client, 'PUT', item, image())).status, 204);
    assert.equal((await read(client, id)).counts.checked, 1);
    for (const position of ['0', '3', '1e1', 'x'])
      assert.equal((await sendForm(client, 'PUT', `/scans/${id}/items/${position}`, image())).status, 404);
    const body = { image_url: `${base}/scene` };
    assert.equal((await client.call('PUT', `/scans/${id}/items/2`, body)).status, 204);
    const ended = await read(client, id);
    assert.deepEqual([ended.state, ended.errors], ['finished', { invalid_request: 1 }]);
    const late = await sendForm(client, 'PUT', `/scans/${id}/items/2`, image());
    assert.equal(late.status, 400);
  });

  it('are cancelled if their page is closed or their member is removed, and return the reserved quota', async () => {
    const client = await signIn(bench.service, DESK);
    const { database } = bench.service;
    const id = await beginFolder(client, ['a.jpg']);
    const listener = (): Promise<void> => Promise.resolve();
    await cancelAbandonedUploads({ database, listener });
    assert.equal((await read(client, id)).state, 'running');
    await database.run((queries) =>
      queries('scans')
        .where({ id })
        .update({ dealt_at: Date.now() - 3_700_000 }),
    );
    await cancelAbandonedUploads({ database, listener });
    assert.match((await read(client, id)).reason ?? '', /was closed/);

    const leaver = await signIn(bench.service, { ...DESK, email: 'leaver@desk.example' });
    const list = new Blob([`{"url":"${base}/hang"}`]);
    const begun = await sendForm(leaver, 'POST', '/scans', form(['file', list]));
    const { id: lastId } = (await begun.json()) as { id: string };
    const owner = await signIn(bench.service, { ...DESK, email: 'owner@desk.example', role: 'owner' });
    const people = await owner.call<{ members: { id: string; email: string }[] }>('GET', '/members');
    const gone = people.body.members.find(({ email }) => email === 'leaver@desk.example');
    assert.equal((await owner.call('DELETE', `/members/${gone?.id ?? ''}`)).status, 204);
    // The batch that hangs ends with its fetch, and the next look at the scan cancels it. The test triggers
    // both itself, without waiting.
    const { id: accountId } = (await findAccount(database, 'desk'))!;
    const itemBatchKind = createItemBatchKind(1000);
    const deps = { database, listener, itemBatchKind } as unknown as Parameters<typeof openScan>[0];
    assert.equal(await openScan(deps, { accountId, slot: 1, scanId: lastId, from: 1, to: 1 }), null);
    assert.equal((await read(owner, lastId)).reason, 'the member who started the scan was removed');
    const [{ reserved }] = (await database.run((queries) =>
      queries('usage_periods').where({ account_id: accountId }).select('reserved'),
    )) as [{ reserved: number }];
    assert.equal(reserved, 0);
  });
});
