// Tests choosing one of several accounts, with a real browser and a real OpenID provider.
import assert from 'node:assert/strict';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { findSerious, makeLink, type Watch, watchContext } from '../../support/browser.js';

import { makeFolder } from '../../support/folders.js';
import { startProvider, type RunningProvider } from '../../support/openid-provider.js';
import { freePort, openAt } from '../../support/openid-visitor.js';
import type { ServiceBench } from '../../support/service.js';
import { closeWindows, HOSTILE, sharedBrowser } from '../../support/visit.js';

const CFO = 'cfo@victim.example';

describe('the page for choosing an account, in a browser', function () {
  this.timeout(600_000);
  const folder = makeFolder('choice');
  let provider: RunningProvider | undefined;
  let bench: ServiceBench | undefined;
  let browser: Browser | undefined;
  let context: BrowserContext;
  let page: Page;
  let watch: Watch;
  let url: string;

  before(async () => {
    const port = await freePort();
    const identities = new Map([['cfo', { email: CFO, email_verified: true }]]);
    provider = await startProvider(`http://127.0.0.1:${port}/console/oidc/callback`, identities, () => 'cfo');
    bench = await openAt(folder, port, provider.issuer);
    ({ url } = bench);
    for (const account of [`evil ${HOSTILE}`, 'victim'])
      await makeLink(bench.database, url, { account, email: CFO, role: 'member' }, 'invitation');
    browser = await sharedBrowser();
    context = await browser.newContext();
    watch = watchContext(context, url);
    page = await context.newPage();
  });
  after(async () => {
    await closeWindows();
    await bench?.close();
    provider?.close();
  });

  const come = async (): Promise<string[]> => {
    await page.goto(`${url}/sign-in`);
    await page.getByRole('link', { name: 'Sign in with your organisation' }).click();
    await page.getByRole('heading', { name: 'Choose an account' }).waitFor();
    await page.getByText(CFO).waitFor();
    return page.getByRole('button').allInnerTexts();
  };

  it('lists the accounts that invited the person, and joins only the chosen one', async () => {
    assert.deepEqual(await come(), [`Join evil ${HOSTILE}`, 'Join victim']);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await findSerious(page), [], colorScheme);
    }
    await page.getByRole('button', { name: 'Join victim' }).click();
    await page.getByRole('heading', { name: 'Try an image' }).waitFor();
    assert.equal(await page.locator('.menu .account').innerText(), 'victim');
    await page.goto(`${url}/choice`);
    await page.getByText('The choice of accounts has expired').waitFor();
    await context.clearCookies();
    assert.deepEqual(await come(), [`Join evil ${HOSTILE}`, 'Enter victim']);
  });

  it('links back to the sign-in page', async () => {
    await page.getByRole('link', { name: 'Sign in anew' }).click();
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
  });

  it('contacts only the OpenID provider and runs no script injected through an account name', () => {
    // The browser logs the request for a choice that was already made.
    const unexpected = watch.errors.filter((line) => !/status of 404.*\/console\/api\/choice/.test(line));
    const strangers = watch.foreignRequests.filter((address) => !address.startsWith(provider!.issuer));
    assert.deepEqual([unexpected, strangers], [[], []]);
  });
});
