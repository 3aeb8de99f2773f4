// Tests the pages of an account in a browser: keys, members and the operator's pages.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAccount, findAccount } from '../../../src/accounts/accounts.js';
import type { Browser, Page } from 'playwright-core';
import {
  findSerious,
  findSeriousOn,
  makeLink,
  openConsole,
  openPage,
  watchContext,
  type Watch,
} from '../../support/browser.js';
import { drawBmp } from '../../support/images.js';
import { send, type ServiceBench } from '../../support/service.js';
import { ROOT } from '../../support/telltale.js';
import { ANN, HOSTILE, openVisit, type Visit } from '../../support/visit.js';

describe('console pages for API keys and members in a browser', function () {
  this.timeout(600_000);
  let visit: Visit | undefined;
  let browser: Browser;
  let bench: ServiceBench;
  let page: Page;
  let watch: Watch;

  before(async () => {
    visit = await openVisit();
    ({ browser, bench, page, watch } = visit);
  });
  after(() => visit?.close());

  it('create an API key, show the key once and revoke the key', async () => {
    await openPage(page, 'API keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name').fill(HOSTILE);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('It is not shown again').waitFor();
    const key = await page.locator('.secret code').innerText();
    const use = () => send(`${bench.url}/v1/usage`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal((await use()).status, 200);
    await page.getByRole('button', { name: 'Done' }).click();
    assert.equal(await page.getByText(key).count(), 0);
    await page.getByRole('cell', { name: HOSTILE }).first().waitFor();
    await page.getByRole('button', { name: `Revoke ${HOSTILE}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('cell', { name: 'revoked' }).waitFor();
    // It takes up to a second until every process knows that a key was revoked.
    while ((await use()).status !== 401) await page.waitForTimeout(50);
  });

  it('create a sandbox key and label the key as a sandbox key in the list', async () => {
    await openPage(page, 'API keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name').fill('tests');
    await page.getByRole('checkbox', { name: /^Sandbox/ }).check();
    assert.ok(await page.getByRole('checkbox', { name: /^check images/ }).isDisabled());
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('It is not shown again').waitFor();
    assert.match(await page.locator('.secret code').innerText(), /^tt_test_/);
    await page.getByRole('button', { name: 'Done' }).click();
    await page
      .getByRole('row', { name: /^tests/ })
      .getByText('sandbox', { exact: true })
      .waitFor();
  });

  it('can be used with the keyboard only', async () => {
    await page.goto(bench.url);
    await page.getByRole('heading', { name: 'Try an image' }).waitFor();
    await page.keyboard.press('Tab');
    await page.getByRole('link', { name: 'Skip to the content' }).waitFor();
    const focused = (): Promise<string> => page.evaluate(() => document.activeElement?.textContent ?? '');
    for (let at = 0; at < 12 && (await focused()) !== 'API keys'; at += 1) await page.keyboard.press('Tab');
    assert.equal(await focused(), 'API keys');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
    for (let at = 0; at < 12 && (await focused()) !== 'Create a key'; at += 1)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('by keyboard');
    await page.keyboard.press('Enter');
    await page.getByText('It is not shown again').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('cell', { name: 'by keyboard', exact: true }).waitFor();
  });

  it('show nothing of one account to a member of another account', async () => {
    const person = { account: 'globex', email: 'bob@globex.example', role: 'owner' } as const;
    const other = await openConsole(browser, { database: bench.database, url: bench.url }, person);
    await other.page.getByRole('link', { name: 'Checks' }).click();
    await other.page.getByText('No checks to show.').waitFor();
    await other.page.getByRole('link', { name: 'API keys' }).click();
    await other.page.getByText('No keys yet.').waitFor();
    assert.equal(await other.page.getByRole('link', { name: 'Operator' }).count(), 0);
    await other.context.close();
  });

  it('let an invited person set a password and sign in, and report an expired invitation', async () => {
    await openPage(page, 'Members');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByLabel('Email').fill('cleo@acme.example');
    await page.getByRole('button', { name: 'Make the link' }).click();
    const link = await page.locator('.secret code').innerText();
    await page.getByRole('button', { name: 'Done' }).click();
    const guest = await browser.newContext();
    const seen = watchContext(guest, bench.url);
    const visit = await guest.newPage();
    await visit.goto(link);
    await visit.getByText('cleo@acme.example').waitFor();
    assert.doesNotMatch(visit.url(), /#/, 'the token leaves the address bar');
    assert.deepEqual(await findSerious(visit), []);
    await visit.getByLabel('Password').fill('correct horse battery staple');
    await visit.getByLabel('The same again').fill('correct horse battery staple');
    await visit.getByRole('button', { name: 'Join' }).click();
    await visit.getByRole('heading', { name: 'Try an image' }).waitFor();
    await visit.locator('.menu summary').click();
    await visit.getByRole('button', { name: 'Sign out', exact: true }).click();
    await visit.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.deepEqual(await findSerious(visit), []);
    await visit.getByLabel('Email').fill('cleo@acme.example');
    await visit.getByLabel('Password').fill('correct horse battery staple');
    await visit.getByRole('button', { name: 'Sign in' }).click();
    await visit.getByRole('heading', { name: 'Try an image' }).waitFor();
    assert.deepEqual([seen.errors, seen.foreignRequests], [[], []]);
    const late = await makeLink(
      bench.database,
      bench.url,
      { ...ANN, email: 'late@acme.example' },
      'invitation',
    );
    await bench.database.run((queries) => queries('links').update({ expires_at: Date.now() - 1 }));
    await visit.goto(late);
    await visit.getByText('has expired').waitFor();
    await guest.close();
  });

  it('follow a second link that is opened in the same tab', async () => {
    const guest = await browser.newPage();
    await guest.goto(`${bench.url}/invitation#unknown`);
    await guest.getByText('This link does not work').waitFor();
    const person = { ...ANN, email: 'dora@acme.example' };
    await guest.goto(await makeLink(bench.database, bench.url, person, 'invitation'));
    await guest.getByText('dora@acme.example').waitFor();
    await guest.context().close();
  });

  it('set the object name prefix of an account in the operator’s bucket, and explain why an invalid prefix is rejected', async () => {
    await openPage(page, 'Operator');
    const button = page.getByRole('button', { name: `Bucket of ${ANN.account}` });
    const change = async (prefix: string): Promise<void> => {
      await button.click();
      await page.getByLabel('Prefix').fill(prefix);
      await page.getByRole('button', { name: 'Save' }).click();
    };
    await change('acme');
    await button.filter({ hasText: 'acme/' }).waitFor();
    await button.click();
    assert.equal(await page.getByLabel('Prefix').inputValue(), 'acme/');
    assert.deepEqual(await findSerious(page), []);
    await page.keyboard.press('Escape');
    await change('/acme');
    await page.getByText('Expected a prefix of keys').waitFor();
    await page.keyboard.press('Escape');
    await change('');
    await button.filter({ hasText: 'none' }).waitFor();
  });

  it('add known images from files, list them and remove them', async () => {
    await page.goto(`${bench.url}/operator/known`);
    await page.getByText('There are no known images yet.').waitFor();
    const add = async (buffer: Buffer, note: string): Promise<void> => {
      const file = { name: 'known.png', mimeType: 'image/png', buffer };
      await page.getByLabel('Image', { exact: true }).setInputFiles(file);
      await page.getByLabel('What it is').selectOption('genuine');
      await page.getByLabel('Note').fill(note);
      await page.getByLabel('Page about it').fill('https://example.org/case');
      await page.getByRole('button', { name: 'Add the image' }).click();
    };
    await add(
      drawBmp(400, 300, () => [200, 200, 200]),
      HOSTILE,
    );
    await page.getByText('the image has too little detail to be recognised').waitFor();
    assert.equal(await page.getByLabel('Note').inputValue(), HOSTILE, 'what was refused can be mended');
    await add(readFileSync(join(ROOT, 'samples/portrait.png')), HOSTILE);
    const row = page.getByRole('row', { name: HOSTILE });
    await row.getByRole('cell', { name: 'https://example.org/case' }).waitFor();
    assert.match(await row.innerText(), /^\s*genuine\s.*kno_\w{26}/s);
    assert.equal(await page.getByLabel('Note').inputValue(), '');
    assert.equal(await page.getByRole('alert').count(), 0);
    assert.deepEqual(await findSerious(page), []);
    await row.getByRole('button', { name: `Remove ${HOSTILE}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('There are no known images yet.').waitFor();
  });

  it('erase an account only after its name was typed, and never erase the operator’s own account', async () => {
    await createAccount(bench.database, 'gone', 'growth');
    await page.goto(`${bench.url}/operator/accounts`);
    const dialog = page.getByRole('dialog');
    const erase = async (account: string, typed: string): Promise<void> => {
      await page.getByRole('button', { name: `Erase ${account}`, exact: true }).click();
      await dialog.getByText('0 kept images').waitFor();
      await dialog.getByLabel('Name of the account').fill(typed);
      await dialog.getByRole('button', { name: 'Erase for good' }).click();
    };
    await erase('gone', 'another');
    await dialog.getByText('This is not the name of the account').waitFor();
    assert.deepEqual(await findSerious(page), []);
    await page.keyboard.press('Escape');
    await erase('gone', 'gone');
    await page.getByRole('button', { name: 'Erase gone', exact: true }).waitFor({ state: 'detached' });
    assert.equal(await findAccount(bench.database, 'gone'), null);
    await erase(ANN.account, ANN.account);
    await dialog.getByText('Expected another account. Erasing your own account').waitFor();
    await page.keyboard.press('Escape');
  });

  it('replace a key by a successor, warn on every page before a key expires, and record both events in the audit log', async () => {
    await openPage(page, 'API keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name').fill('rolled one');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Roll rolled one' }).click();
    await page.getByLabel('The old key works on for').selectOption('24 hours');
    await page.getByRole('dialog').getByRole('button', { name: 'Roll' }).click();
    await page.getByText('It is not shown again').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('cell', { name: 'rolled one', exact: true }).nth(1).waitFor();
    await openPage(page, 'Members');
    await page.getByRole('status', { name: 'Notices' }).getByText('The key rolled one').waitFor();
    await openPage(page, 'Audit log');
    const table = page.getByRole('region', { name: 'Audit log' });
    const [head, first] = [table.getByRole('row').first(), table.getByRole('row').nth(1)];
    await first.getByRole('cell', { name: 'key rolled' }).waitFor();
    assert.match(await head.innerText(), /When\s+What\s+Of\s+By\s+From\s+Change/i);
    assert.match(await first.innerText(), /key rolled\s.*ann@acme\.example.*expires at: none → 2/s);
    await page.getByLabel('What').selectOption('all of: sign in');
    await table.getByRole('cell', { name: 'key rolled' }).waitFor({ state: 'detached' });
    await table.getByRole('cell', { name: 'sign in succeeded' }).first().waitFor();
    await page.goto(`${bench.url}/operator/audit`);
    // The list of all accounts has several of these entries, the list of one account only one.
    const joined = table.getByRole('cell', { name: 'member joined' });
    await joined.nth(1).waitFor();
    await page.getByLabel('Name of an account').fill('globex');
    await page.keyboard.press('Enter');
    await joined.nth(1).waitFor({ state: 'detached' });
    await joined.waitFor();
    assert.deepEqual(await findSerious(page), [], 'audit log of the installation');
  });

  it('pass the axe accessibility check in light and dark mode', async () => {
    const pages = ['API keys', 'Members', 'Webhooks', 'Audit log', 'Operator'];
    assert.deepEqual(await findSeriousOn(page, pages), []);
    await page.getByRole('tab', { name: 'Health' }).click();
    await page.getByText('ONNX Runtime').waitFor();
    assert.deepEqual(await findSerious(page), [], 'Health');
  });

  it('give each operator tab its own URL and break no word across lines on the Health tab', async () => {
    assert.equal(new URL(page.url()).pathname, '/operator/health');
    await page.goBack();
    await page.getByRole('tab', { name: 'Accounts', selected: true }).waitFor();
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(`${bench.url}/operator/health`);
    await page.getByText('ONNX Runtime').waitFor();
    const broken = await page.locator('#operator-panel').evaluate((panel) => {
      const texts = document.createTreeWalker(panel, NodeFilter.SHOW_TEXT);
      const found: string[] = [];
      for (let node = texts.nextNode(); node; node = texts.nextNode())
        for (const { 0: word, index } of (node.textContent ?? '').matchAll(/[\w.]+/g)) {
          const range = document.createRange();
          range.setStart(node, index);
          range.setEnd(node, index + word.length);
          if (range.getClientRects().length > 1) found.push(word);
        }
      return found;
    });
    assert.deepEqual(broken, []);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('contact no other host, run no injected script and log only the expected errors', () => {
    // The browser logs three expected refusals: of the prefix, of the known image, and to erase the own
    // account.
    const unexpected = watch.errors.filter(
      (line) => !/status of 400.*\/(prefix|known|accounts\/\w+)/.test(line),
    );
    assert.deepEqual([unexpected, watch.foreignRequests], [[], []]);
  });
});
