// Tests console pages in a browser if a response fails, is lost or arrives late, or if a button is clicked
// twice.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Page, Request, Route } from 'playwright-core';
import type { Health } from '../../../src/service/console/shapes.js';
import { openPage } from '../../support/browser.js';
import { ROOT } from '../../support/telltale.js';
import { openVisit, type Visit } from '../../support/visit.js';

const IMAGE = join(ROOT, 'samples/scene.jpg');

describe('errors on console pages in a browser', function () {
  this.timeout(600_000);
  let visit: Visit | undefined;
  let page: Page;

  before(async () => {
    visit = await openVisit();
    ({ page } = visit);
    // Only checks take long. With a short time limit for all else, missing elements fail the test soon.
    page.setDefaultTimeout(30_000);
  });
  after(() => visit?.close());

  const fail = (code: string, status: number) => (route: Route) =>
    route.fulfill({ status, json: { error: { code, message: `made to fail with ${code}` } } });
  /**
   * Makes requests of one method to `path` fail while `act` runs, and waits until the page shows the error.
   */
  const seeFailing = async (method: string, path: RegExp, act: () => Promise<unknown>): Promise<void> => {
    await page.route(path, (route) =>
      route.request().method() === method ? fail('unavailable', 503)(route) : route.fallback(),
    );
    await act();
    await page.getByRole('alert').getByText('made to fail with unavailable').waitFor();
    await page.unroute(path);
  };
  const rows = () => page.locator('.history li');

  it('do not blame the image if the service failed, and then do not say that nothing was charged', async () => {
    const refusal = page.locator('.findings');
    const meet = async (handle: (route: Route) => Promise<void>, word: string): Promise<string> => {
      await page.route(/\/console\/api\/checks/, handle);
      await page.locator('input[type=file]').setInputFiles(IMAGE);
      await refusal.getByText(word, { exact: true }).waitFor();
      await page.unroute(/\/console\/api\/checks/);
      return refusal.innerText();
    };
    const lost = await meet((route) => route.abort(), "The service can't be reached. Check your connection.");
    assert.match(lost, /It may have been charged/);
    const failed = await meet(fail('internal_error', 500), 'Made to fail with internal_error.');
    const refused = await meet(fail('url_fetch_failed', 422), 'Made to fail with url_fetch_failed.');
    assert.equal(await refusal.locator('code').count(), 0, 'the code is for programs');
    assert.match(refused, /Nothing was charged/);
    assert.doesNotMatch(lost + failed, /Nothing was charged/);
    assert.doesNotMatch(lost + failed + refused, /What is accepted/);
  });

  it('are shown if withdrawing the report of a wrong verdict fails', async () => {
    await page.locator('input[type=file]').setInputFiles(IMAGE);
    await page.getByRole('button', { name: 'Report a wrong verdict' }).click({ timeout: 90_000 });
    await page.getByLabel('AI-edited').check();
    await page.getByRole('dialog').getByRole('button', { name: 'Report' }).click();
    await page.getByRole('button', { name: 'Reported, thank you' }).waitFor();
    await openPage(page, 'Checks');
    await rows().getByRole('link').click();
    const takeBack = page.getByRole('button', { name: 'Take the report back' });
    await seeFailing('DELETE', /\/report$/, () => takeBack.click());
    await takeBack.click();
    await rows().getByText('reported', { exact: true }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
  });

  it('do not result from a late response to an earlier filter', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const isEarlier = (request: Request): boolean => /verdict=likely_ai/.test(request.url());
    await page.route(/\/console\/api\/checks\?/, async (route) => {
      if (isEarlier(route.request())) await released;
      await route.continue();
    });
    const asked = page.waitForRequest(isEarlier);
    const answered = page.waitForResponse((response) => isEarlier(response.request()));
    await page.getByLabel('Result').selectOption('AI detected');
    await asked;
    const later = page.waitForResponse(/verdict=no_ai_detected/);
    await page.getByLabel('Result').selectOption('No AI detected');
    await later;
    release();
    await (await answered).finished();
    await page.waitForTimeout(300);
    assert.equal(await rows().getByText('No AI detected').count(), 1);
    await page.unroute(/\/console\/api\/checks\?/);
  });

  it('do not result from a late response to an earlier record on the page Verify', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let count = 0;
    await page.route(/\/records\/verify$/, async (route) => {
      count += 1;
      const holds = count === 1;
      if (holds) await released;
      await route.fulfill({ json: { holds, findings: [] } });
    });
    const choose = (name: string) =>
      page.getByLabel('Record').setInputFiles({ name, mimeType: 'text/html', buffer: Buffer.from('') });
    await openPage(page, 'Verify');
    await choose('genuine.html');
    await page.getByRole('button', { name: 'Verify' }).click();
    await choose('forged.html');
    const late = page.waitForResponse(/\/records\/verify$/);
    release();
    await (await late).finished();
    await page.waitForTimeout(300);
    assert.equal(await page.getByRole('heading', { name: 'Nothing was found wrong' }).count(), 0);
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByRole('heading', { name: 'It does not hold' }).waitFor();
    await page.unroute(/\/records\/verify$/);
  });

  it('do not result from a double click, which creates only one key', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let made = 0;
    await page.route(/\/console\/api\/keys$/, async (route) => {
      if (route.request().method() === 'POST') {
        made += 1;
        await released;
      }
      await route.continue();
    });
    await openPage(page, 'API keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name').fill('once');
    await page.getByRole('button', { name: 'Create', exact: true }).dblclick();
    release();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('cell', { name: 'once', exact: true }).first().waitFor();
    assert.equal(made, 1);
    await page.unroute(/\/console\/api\/keys$/);
  });

  it('are shown if withdrawing an invitation fails', async () => {
    await openPage(page, 'Members');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByLabel('Email').fill('cleo@acme.example');
    const send = page.getByRole('button', { name: 'Make the link' });
    await seeFailing('POST', /\/invitations$/, () => send.click());
    // After the failure, the button of the form works again.
    await send.click();
    await page.getByRole('button', { name: 'Done' }).click();
    const withdraw = page.getByRole('button', { name: 'Withdraw' });
    await seeFailing('DELETE', /\/invitations\//, () => withdraw.click());
    await withdraw.click();
    await withdraw.waitFor({ state: 'detached' });
    assert.equal(await page.getByText('made to fail').count(), 0);
  });

  it('include a warning for operators if a trust list is outdated', async () => {
    let advice: string | null = null;
    await page.route(/\/operator\/health$/, async (route) => {
      const health = (await (await route.fetch()).json()) as Health;
      await route.fulfill({ json: { ...health, trust: { ...health.trust, advice } } });
    });
    await openPage(page, 'Operator');
    await page.getByRole('tab', { name: 'Health' }).click();
    await page.getByText('signers can be verified').waitFor();
    const warning = page.getByText('Trust lists: the official list is old.');
    assert.equal(await warning.count(), 0);
    advice = 'the official list is old';
    await page.getByRole('button', { name: 'Refresh' }).click();
    await warning.waitFor();
    await page.unroute(/\/operator\/health$/);
  });

  it('are shown if signing out fails', async () => {
    await page.locator('.menu summary').click();
    for (const [name, path] of [
      ['Sign out', /\/api\/session$/],
      ['Sign out everywhere', /\/api\/sessions$/],
    ] as const)
      await seeFailing('DELETE', path, () => page.getByRole('button', { name, exact: true }).click());
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});
