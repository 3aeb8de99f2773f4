// Tests the history page in a browser: filters in the URL, links to one check, keys, notes, CSV and endless
// scrolling.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { ulid } from 'ulid';
import type { BrowserContext, Page } from 'playwright-core';
import { findAccount } from '../../../src/accounts/accounts.js';
import { keepHashes } from '../../../src/accounts/seen/seen.js';
import {
  findSerious,
  findSeriousOn,
  openConsole,
  openPage,
  settle,
  type Person,
} from '../../support/browser.js';
import { fixture } from '../../support/telltale.js';
import { openVisit, type Visit } from '../../support/visit.js';

const DESK: Person = { account: 'desk', email: 'ann@desk.example', role: 'member' };
const COLLEAGUE: Person = { ...DESK, email: 'bob@desk.example' };

describe('the check history page in a browser', function () {
  this.timeout(600_000);
  let visit: Visit;
  let page: Page;
  const contexts: BrowserContext[] = [];

  before(async () => {
    visit = await openVisit();
    const { database } = visit.bench;
    const opened = await openConsole(visit.browser, visit.bench, DESK);
    page = opened.page;
    contexts.push(opened.context);
    await page.getByLabel('Keep images').check();
    await page.locator('input[type=file]').setInputFiles(fixture('jpeg/scene.jpg'));
    await page.getByText('kept for 30 days').waitFor();
    const { id: accountId } = (await findAccount(database, 'desk'))!;
    const old = Date.now() - 86_400_000;
    await database.run((queries) =>
      queries.batchInsert(
        'checks',
        Array.from({ length: 120 }, (_, index) => ({
          id: `chk_${ulid(old + index)}`,
          account_id: accountId,
          plan: 'growth',
          request_id: index === 0 ? 'scn_1' : 'req_1',
          created_at: old + index,
          is_ai: index % 2,
          fired: index % 2 ? 'full_image_specialist' : '',
          profile: 'balanced',
          model: 'telltale-1.0.0',
          bands_version: '1',
          latency_ms: 10,
          name: index === 7 ? '=cmd()|x.jpg' : `press ${index}.jpg`,
          attention: index === 8 ? 'mark' : null,
          assessment: index === 8 ? 'unclear' : null,
          colours: '#336699 #ccbbaa',
        })),
        20,
      ),
    );
  });
  after(async () => {
    for (const context of contexts) await context.close();
    await visit.close();
  });

  const rows = () => page.locator('.history li');
  const counts = (wanted: number) =>
    page.waitForFunction((count) => document.querySelectorAll('.history li').length === count, wanted);
  const dialog = (name: string) => page.getByRole('dialog', { name, exact: true });

  it('shows file names, thumbnails of stored images and colour placeholders, and loads more checks while scrolling', async () => {
    await openPage(page, 'Checks');
    await rows().first().getByText('scene.jpg').waitFor();
    await page.waitForFunction(
      () => (document.querySelector<HTMLImageElement>('.history img.tile')?.naturalWidth ?? 0) > 0,
    );
    assert.equal(await rows().nth(1).locator('.tile i').count(), 2);
    while ((await rows().count()) < 121) {
      await rows().last().scrollIntoViewIfNeeded();
      await page.mouse.wheel(0, 4000);
      await page.waitForTimeout(50);
    }
    assert.equal(await page.getByRole('button', { name: 'Older checks' }).count(), 0);
    await rows().last().getByText('in a scan').waitFor();
  });

  it('filters checks by name and verdict and keeps the filters in the URL', async () => {
    await page.getByLabel('Search name').fill('PRESS 8');
    // The text matches number 8 and the numbers 80 to 89.
    await counts(11);
    assert.match(page.url(), /\/checks\?text=PRESS\+8$/);
    await page.getByLabel('Search name').fill('');
    await rows().nth(20).waitFor();
    await page.getByLabel('Result').selectOption('Unclear');
    await counts(1);
    await rows().getByText('Unsigned data in the file declares AI').waitFor();
    assert.match(page.url(), /\?verdict=unclear$/);
    await page.reload();
    await rows().getByText('press 8.jpg').waitFor();
    await counts(1);
    await page.getByLabel('Result').selectOption('');
    await page.getByLabel('To', { exact: true }).fill('2001-01-01');
    await page.getByText('No checks to show.').waitFor();
    await page.getByLabel('To', { exact: true }).fill('');
    await page.getByLabel('Person or key').fill('ann@desk');
    await counts(1);
    await page.getByLabel('Person or key').fill('');
    await rows().nth(20).waitFor();
  });

  it('keeps the space after a word while the person pauses before the next word', async () => {
    await page.goto(`${visit.bench.url}/checks`);
    const search = page.getByLabel('Search name');
    await search.pressSequentially('press ');
    await page.waitForURL(/\?text=press$/);
    await settle(page);
    await search.pressSequentially('8');
    assert.equal(await search.inputValue(), 'press 8');
    await page.goto(`${visit.bench.url}/checks`);
  });

  it('keeps a typed note and a new link of an opened check while the report dialog is opened and cancelled', async () => {
    await page.goto(`${visit.bench.url}/checks`);
    await rows().getByText('press 119.jpg').click();
    const opened = dialog('press 119.jpg');
    await opened.getByLabel('Note').fill('not saved yet');
    await opened.getByRole('button', { name: 'Create a link for an appeal' }).click();
    const link = await opened.locator('.secret code').innerText();
    await opened.getByRole('button', { name: 'Report a wrong verdict' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await dialog('Report a wrong verdict').waitFor({ state: 'detached' });
    assert.equal(await opened.getByLabel('Note').inputValue(), 'not saved yet');
    assert.equal(await opened.locator('.secret code').innerText(), link);
    await page.keyboard.press('Escape');
  });

  it('announces the copied link inside the dialog of the check', async () => {
    await contexts[0]!.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${visit.bench.url}/checks`);
    await rows().getByText('press 119.jpg').click();
    const opened = dialog('press 119.jpg');
    await opened.getByRole('button', { name: 'Copy link' }).click();
    await opened.getByRole('status').getByText('Copied the link to chk_').waitFor({ timeout: 10_000 });
    await page.keyboard.press('Escape');
  });

  it('returns the focus to the button that opened a dialog, and to the row of the closed check', async () => {
    const focused = () =>
      page.evaluate(() => {
        const focus = document.activeElement?.closest<HTMLElement>('[data-check], button');
        return focus?.dataset['check'] ?? focus?.textContent;
      });
    await page.goto(`${visit.bench.url}/checks`);
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    await dialog('Keyboard shortcuts').getByRole('button', { name: 'Close' }).click();
    await dialog('Keyboard shortcuts').waitFor({ state: 'detached' });
    // The focus returns only after the page was drawn.
    await settle(page);
    assert.equal(await focused(), 'Keyboard shortcuts');
    await rows().getByText('press 119.jpg').click();
    await dialog('press 119.jpg').getByRole('button', { name: 'Next check' }).click();
    const next = dialog('press 118.jpg');
    await next.getByRole('button', { name: 'Report a wrong verdict' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await dialog('Report a wrong verdict').waitFor({ state: 'detached' });
    await settle(page);
    assert.equal(await focused(), 'Report a wrong verdict');
    await next.getByRole('button', { name: 'Close' }).click();
    await next.waitFor({ state: 'detached' });
    await settle(page);
    const row = rows().locator('a', { hasText: 'press 118.jpg' });
    assert.equal(await focused(), await row.getAttribute('data-check'));
  });

  it('shows the newest result of “Find an image”, and closes the search when a result is opened', async () => {
    const { database, url } = visit.bench;
    await keepHashes(database, (await findAccount(database, 'desk'))!.id, true);
    await page.goto(`${url}/checks`);
    const id = await rows().locator('a', { hasText: 'press 119.jpg' }).getAttribute('data-check');
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route(/\/api\/seen$/, async (route) => {
      const isFirst = route.request().postDataBuffer()!.includes('first.jpg');
      if (isFirst) await released;
      const check = {
        id,
        created_at: new Date().toISOString(),
        assessment: 'unclear',
        name: 'press 119.jpg',
      };
      await route.fulfill({ json: { comparable: true, known: null, checks: isFirst ? [] : [check] } });
    });
    await page.getByRole('button', { name: 'Find an image' }).click();
    const search = dialog('Find an image');
    for (const name of ['first.jpg', 'second.jpg'])
      await search
        .getByLabel('Image')
        .setInputFiles({ name, mimeType: 'image/jpeg', buffer: Buffer.from('') });
    await search.getByText('press 119.jpg').waitFor();
    const late = page.waitForResponse(/\/api\/seen$/);
    release();
    await (await late).finished();
    await page.waitForTimeout(300);
    await search.getByRole('link', { name: 'Unclear' }).click({ timeout: 10_000 });
    await dialog('press 119.jpg').waitFor({ timeout: 10_000 });
    await search.waitFor({ state: 'detached' });
    await page.unroute(/\/api\/seen$/);
    await page.keyboard.press('Escape');
  });

  it('shows no error about a check if another check is open when the response arrives', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route(/\/api\/checks\/chk_gone$/, async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(`${visit.bench.url}/checks/chk_gone`);
    await rows().getByText('press 119.jpg').click();
    await dialog('press 119.jpg').waitFor();
    const late = page.waitForResponse(/\/api\/checks\/chk_gone$/);
    release();
    await (await late).finished();
    await page.waitForTimeout(300);
    assert.equal(await page.getByText('no such check').count(), 0);
    await page.unroute(/\/api\/checks\/chk_gone$/);
    await page.keyboard.press('Escape');
  });

  it('supports keyboard navigation, copies links to checks, and shows a check’s note to a colleague who opens the link', async () => {
    await contexts[0]!.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('h1').click();
    await page.keyboard.press('?');
    await dialog('Keyboard shortcuts').waitFor();
    await page.keyboard.press('Escape');
    await dialog('Keyboard shortcuts').waitFor({ state: 'detached' });
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    const id = (await rows().first().locator('a').getAttribute('data-check'))!;
    assert.equal(await page.evaluate(() => (document.activeElement as HTMLElement).dataset['check']), id);
    await page.keyboard.press('c');
    await page.getByText(`Copied the link to ${id}`).waitFor();
    assert.equal(
      await page.evaluate(() => navigator.clipboard.readText()),
      `${visit.bench.url}/checks/${id}`,
    );
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'scene.jpg' }).waitFor();
    assert.equal(new URL(page.url()).pathname, `/checks/${id}`);
    await page.getByRole('dialog').getByLabel('Status').selectOption('Confirmed');
    await page.getByRole('dialog').getByLabel('Note').fill('jk: the agency vouches');
    await page.getByRole('button', { name: 'Save note' }).click();
    await page.getByRole('dialog').getByText('ann@desk.example, ').waitFor();
    await page.locator('h2').click();
    await page.keyboard.press('j');
    await page.getByRole('dialog', { name: 'press 119.jpg' }).waitFor();
    await page.keyboard.press('k');
    await dialog('scene.jpg').getByText('Computed again from the stored image.').waitFor();
    await page.keyboard.press('r');
    await page.getByRole('heading', { name: 'Report a wrong verdict' }).waitFor();
    await page.keyboard.press('?');
    await settle(page);
    assert.equal(await dialog('Keyboard shortcuts').count(), 0);
    await page.keyboard.press('Escape');
    const bob = await openConsole(visit.browser, visit.bench, COLLEAGUE);
    contexts.push(bob.context);
    await bob.page.goto(`${visit.bench.url}/checks/${id}`);
    await bob.page.getByRole('dialog').getByText('ann@desk.example, ').waitFor();
    assert.equal(
      await bob.page.getByRole('dialog').getByLabel('Note').inputValue(),
      'jk: the agency vouches',
    );
    await bob.page.waitForFunction(
      () => (document.querySelector<HTMLImageElement>('dialog .frame img')?.naturalWidth ?? 0) > 0,
    );
    assert.deepEqual(bob.watch.errors, []);
    const ann = await openConsole(visit.browser, visit.bench, { ...DESK, account: 'elsewhere' });
    contexts.push(ann.context);
    await ann.page.goto(`${visit.bench.url}/checks/${id}`);
    await ann.page.getByText('no such check in its history').waitFor();
  });

  it('lets only one member claim a check for review, and shows colleagues who claimed the check', async () => {
    const open = async (who: Page, name: string): Promise<void> => {
      await who.goto(`${visit.bench.url}/checks?text=${encodeURIComponent(name)}`);
      await who.locator('.history li a').first().click();
      await who.getByRole('dialog', { name }).waitFor();
    };
    const bob = (await openConsole(visit.browser, visit.bench, COLLEAGUE)).page;
    contexts.push(bob.context());
    await open(page, 'press 110.jpg');
    await open(bob, 'press 110.jpg');
    await page.getByRole('button', { name: 'Take for review' }).click();
    await page.getByText('You took it').waitFor();
    await bob.getByRole('button', { name: 'Take for review' }).click();
    await bob.getByText('ann@desk.example has been reviewing this check since').waitFor();
    await bob.getByText(/^ann@desk\.example took it, /).waitFor();
    await bob.keyboard.press('Escape');
    await bob.getByText('taken by ann@desk.example').waitFor();
    await page.getByRole('button', { name: 'Release' }).click();
    await page.getByRole('button', { name: 'Take for review' }).waitFor();
    await page.goto(`${visit.bench.url}/checks`);
  });

  it('exports the listed checks as CSV in which a file name cannot act as a spreadsheet formula', async () => {
    await page.keyboard.press('Escape');
    await page.goto(`${visit.bench.url}/checks?fired=full_image_specialist`);
    await rows().nth(10).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    const lines = readFileSync(await (await download).path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    assert.equal(lines.length, 1 + 60);
    assert.match(lines[0] ?? '', /^id,time,name,ref,result,flagged,why,/);
    assert.ok(lines.some((line) => line.includes(",'=cmd()|x.jpg,")));
    await page.goto(`${visit.bench.url}/checks?status=confirmed&text=agency`);
    await counts(1);
  });

  it('offers to erase a check to owners only', async () => {
    await page.getByRole('link', { name: 'scene.jpg' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Copy link' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Erase' }).count(), 0);
    const address = page.url();
    const owner = await openConsole(visit.browser, visit.bench, {
      ...DESK,
      email: 'olga@desk.example',
      role: 'owner',
    });
    contexts.push(owner.context);
    await owner.page.goto(address);
    await owner.page.getByRole('dialog').getByRole('button', { name: 'Erase' }).click();
    await owner.page.getByRole('button', { name: 'Erase for good' }).click();
    await owner.page.waitForFunction(() => document.querySelector('dialog') === null);
    await owner.page.goto(address);
    await owner.page.getByText('no such check in its history').waitFor();
    await page.keyboard.press('Escape');
  });

  it('passes the axe accessibility check in light mode, dark mode and on a phone, without cut-off content', async () => {
    assert.deepEqual(await findSeriousOn(page, ['Checks']), []);
    await page.setViewportSize({ width: 360, height: 740 });
    assert.deepEqual(await findSerious(page), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 360));
    await rows().first().locator('a').click();
    await page.getByRole('dialog').waitFor();
    assert.deepEqual(await findSerious(page), []);
  });
});
