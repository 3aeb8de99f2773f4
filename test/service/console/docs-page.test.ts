// Tests /docs in a real browser: Redoc renders the API document under a policy that blocks all other hosts.
import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { findSerious, watchContext } from '../../support/browser.js';
import { closeWindows, sharedBrowser } from '../../support/visit.js';
import { openBench, type ServiceBench } from '../../support/service.js';

describe('the /docs page in a browser', function () {
  this.timeout(600_000);
  let bench: ServiceBench | undefined;
  let browser: Browser | undefined;

  before(async () => {
    bench = await openBench();
    browser = await sharedBrowser();
  });
  after(async () => {
    await closeWindows();
    await bench?.close();
  });

  it('shows every API operation with styles, examples and search, and contacts no other host', async () => {
    const { url } = bench!;
    const context = await browser!.newContext({ viewport: { width: 1440, height: 900 } });
    context.setDefaultTimeout(90_000);
    const watch = watchContext(context, url);
    const page = await context.newPage();
    await page.goto(`${url}/docs`);
    await page.getByRole('heading', { name: 'Check one image' }).waitFor();
    for (const name of [
      'Report a wrong verdict',
      'Cancel a scan and keep its results',
      'Get the number of checks used',
    ])
      await page.getByRole('heading', { name }).waitFor();
    // Text in an example response, which is always visible.
    await page.getByText('chk_01M7YJSXEMPQ2P39JDDM7E7HQB').first().waitFor();
    // The menu is next to the text only if the page's style elements take effect.
    assert.equal(
      await page.locator('.menu-content').evaluate((menu) => getComputedStyle(menu).position),
      'sticky',
    );
    await page.getByRole('textbox', { name: 'search' }).fill('wrong verdict');
    await page.locator('[data-role="search:results"]').getByText('Report a wrong verdict').waitFor();
    assert.deepEqual(watch, { errors: [], foreignRequests: [] });
    await context.close();
  });

  it('sends a request with a sandbox key and shows the response, and refuses other keys', async () => {
    const { url } = bench!;
    const key = await bench!.newKey({ sandbox: true });
    const context = await browser!.newContext({ viewport: { width: 1280, height: 844 } });
    context.setDefaultTimeout(240_000);
    const page = await context.newPage();
    // The form works without Redoc, which takes long to draw on a slow machine.
    await page.route('**/redoc.standalone*', (route) => route.abort());
    await page.goto(`${url}/docs`);
    await page.getByText('Send a request with a sandbox key').click();
    await page.getByLabel('Sandbox key').fill('tt_live_abc');
    await page.getByRole('button', { name: 'Send POST /v1/check' }).click();
    await page.getByText('Expected a sandbox key').waitFor();
    await page.getByLabel('Sandbox key').fill(key);
    await page.getByRole('button', { name: 'Send POST /v1/check' }).click();
    await page.locator('#send').getByText('200 OK').waitFor();
    assert.match(await page.locator('#send pre').innerText(), /"is_ai": true[^]*"sandbox": true/);
    await page.getByLabel('Result or error code').fill('image_too_small');
    await page.getByRole('button', { name: 'Send POST /v1/check' }).click();
    await page.locator('#send').getByText(/^422/).waitFor();
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 844 });
      assert.deepEqual(await findSerious(page, {}, '#send'), []);
    }
    await context.close();
  });

  it('loads only its own scripts and its own known styles', async () => {
    const response = await fetch(`${bench!.url}/docs`);
    const policy = response.headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'( 'sha256-[^']{44}')+;/);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  });
});
