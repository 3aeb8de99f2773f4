// Tests many images at once on the Try page, with a real browser: order, progress, retries and the state
// after a reload.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import {
  atEachLook,
  findSerious,
  openConsole,
  openPage,
  type Person,
  type Watch,
} from '../../support/browser.js';
import { fixture, ROOT } from '../../support/telltale.js';
import { openVisit, type Visit } from '../../support/visit.js';

const DESK: Person = { account: 'desk', email: 'ann@desk.example', role: 'member' };
const CHECKS = '**/console/api/checks?*';

describe('checking many images on the Try page in a browser', function () {
  this.timeout(600_000);
  let visit: Visit;
  let context: BrowserContext;
  let page: Page;
  let watch: Watch;

  before(async () => {
    visit = await openVisit();
    ({ context, page, watch } = await openConsole(visit.browser, visit.bench, DESK));
  });
  after(async () => {
    await context.close();
    await visit.close();
  });

  const scene = readFileSync(join(ROOT, 'samples/scene.jpg'));
  const choose = (...names: string[]) =>
    page
      .locator('input[type=file]')
      .setInputFiles(names.map((name) => ({ name, mimeType: 'image/jpeg', buffer: scene })));
  const texts = (selector: string) => page.locator(selector).allInnerTexts();
  const rowOf = (name: string) => page.locator('.items li', { hasText: name });
  const remembered = () => page.evaluate(() => JSON.stringify({ ...sessionStorage }));

  it('starts with the accepted formats, the limits and three sample images on the page', async () => {
    await page.getByText('JPEG, PNG, WebP, AVIF, GIF (first frame), BMP, TIFF').waitFor();
    await page.getByText('up to 20 MB').waitFor();
    const samples = page.locator('.samples button');
    assert.equal(await samples.count(), 3);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await findSerious(page), []);
    }
    await page.waitForFunction(() =>
      [...document.querySelectorAll<HTMLImageElement>('.samples img')].every(
        (image) => image.naturalWidth > 0,
      ),
    );
    await samples.filter({ hasText: 'Signed as made by AI' }).click();
    await rowOf('scene-signed-ai.jpg').getByText('AI detected').waitFor();
  });

  it('checks more than eight images in the given order and shows the progress of each', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `press ${9 - index}.jpg`);
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    await page.route(CHECKS, async (route) => {
      await gate;
      await route.continue();
    });
    await choose(...names);
    await page.getByText('1 of 11 done').waitFor();
    assert.deepEqual(await texts('.items .item-name'), ['scene-signed-ai.jpg', ...names]);
    const words = await texts('.items .word');
    assert.ok(
      words.slice(1, 3).every((word) => /^(\d+% sent|Looking…)$/.test(word)),
      words.join(),
    );
    assert.deepEqual(words.slice(3), Array<string>(8).fill('Waiting its turn'));
    assert.equal(await page.locator('.items progress').count(), 2);
    open();
    await page.waitForFunction(
      () => document.querySelectorAll('.items .word:is(.no_ai_detected, .unclear)').length === 10,
    );
    await page.unroute(CHECKS);
    assert.equal(await page.getByText('of 11 done').count(), 0);
  });

  it('reports a busy service and retries automatically', async () => {
    await page.route(
      CHECKS,
      (route) =>
        route.fulfill({
          status: 503,
          headers: { 'retry-after': '1' },
          json: { error: { code: 'overloaded', message: 'The service is busy' } },
        }),
      { times: 1 },
    );
    // Watches each frame from now on, because the page shows this for only a second.
    const held = page.waitForFunction(() =>
      [...document.querySelectorAll('.items .word')].some(
        (word) => word.textContent === 'Waiting for the service',
      ),
    );
    await choose('busy.jpg');
    await held;
    await rowOf('busy.jpg').getByText('No AI detected').waitFor();
  });

  it('warns before the page is closed only while some images are still unchecked', async () => {
    const asksToStay = () =>
      page.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true })));
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    await page.route(CHECKS, async (route) => {
      await gate;
      await route.continue();
    });
    await choose('last.jpg');
    await rowOf('last.jpg').locator('progress').waitFor();
    assert.equal(await asksToStay(), true);
    open();
    await rowOf('last.jpg').getByText('No AI detected').waitFor();
    assert.equal(await asksToStay(), false);
    await page.unroute(CHECKS);
  });

  it('shows an error if the service’s response is not JSON', async () => {
    await page.route(
      CHECKS,
      (route) => route.fulfill({ status: 200, body: '<h1>Sign in to the proxy</h1>' }),
      {
        times: 1,
      },
    );
    await choose('proxy.jpg');
    await rowOf('proxy.jpg').getByRole('button', { name: 'Try again proxy.jpg' }).click();
    await rowOf('proxy.jpg').getByText('No AI detected').waitFor();
    const second = await context.newPage();
    await second.route('**/console/api/**', async (route) =>
      route.request().url().includes('/usage')
        ? route.fulfill({ status: 200, body: '<h1>Sign in</h1>' })
        : route.continue(),
    );
    await second.goto(`${visit.bench.url}/usage`);
    await second.getByText('The response is not from Telltale').first().waitFor();
    await second.close();
  });

  it('frees the memory of images that are no longer shown', async () => {
    await page.evaluate(() => {
      const revoked: string[] = [];
      const revoke = URL.revokeObjectURL.bind(URL);
      URL.revokeObjectURL = (url) => {
        revoked.push(url);
        revoke(url);
      };
      Object.assign(window, { revoked });
    });
    await page
      .locator('input[type=file]')
      .setInputFiles([
        { name: 'scan.tif', mimeType: 'image/tiff', buffer: readFileSync(fixture('tiff/scene.tif')) },
      ]);
    await rowOf('scan.tif').locator('img').waitFor();
    await page.waitForFunction(() => (window as unknown as { revoked: string[] }).revoked.length === 1);
  });

  it('offers to retry one or all images if a retry can help', async () => {
    await page.route(CHECKS, (route) => route.abort());
    await choose('lost 1.jpg', 'lost 2.jpg', 'lost 3.jpg');
    await page.getByRole('button', { name: 'Try all 3 again' }).waitFor();
    await page.unroute(CHECKS);
    await rowOf('lost 2.jpg').getByRole('button', { name: 'Try again lost 2.jpg' }).click();
    await rowOf('lost 2.jpg').getByText('No AI detected').waitFor();
    // The image that is shown large has a second button next to the reason.
    await rowOf('lost 1.jpg').getByRole('button').first().click();
    await page.locator('.verdict').getByRole('button', { name: 'Try again' }).waitFor();
    await page.getByRole('button', { name: 'Try all 2 again' }).click();
    await rowOf('lost 1.jpg').getByText('No AI detected').waitFor();
    await rowOf('lost 3.jpg').getByText('No AI detected').waitFor();
  });

  it('shows an icon in place of an unreadable image, and offers no retry for that image', async () => {
    const buffer = Buffer.from('no image at all');
    await page
      .locator('input[type=file]')
      .setInputFiles([{ name: 'torn.jpg', mimeType: 'image/jpeg', buffer }]);
    await rowOf('torn.jpg').getByText('Not checked').waitFor();
    await rowOf('torn.jpg').locator('svg.thumb').waitFor();
    assert.equal(await rowOf('torn.jpg').getByRole('button').count(), 1);
    assert.equal(await page.locator('.verdict').getByRole('button', { name: 'Try again' }).count(), 0);
  });

  it('shows names and verdicts, but no images, after a reload', async () => {
    await page.getByLabel('Address of an image').fill('http://127.0.0.1:9/one.png?token=secret');
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await rowOf('one.png').getByText('Not checked').waitFor();
    const before = await texts('.items .item-name');
    const kept = await remembered();
    assert.doesNotMatch(kept, /secret|blob:|data:|base64/);
    assert.ok(kept.length < 4000, 'names and identifiers alone');
    await page.reload();
    await rowOf('press 3.jpg').getByText('No AI detected').waitFor();
    await rowOf('torn.jpg').getByText('Not checked').waitFor();
    assert.deepEqual(
      await texts('.items .item-name'),
      before.map((name) => name.replace(/\?.*/, '')),
    );
    await rowOf('torn.jpg').getByRole('button').click();
    await page.getByText('Choose the image again').waitFor();
    await rowOf('scene-signed-ai.jpg').getByRole('button').click();
    await page.locator('.verdict').getByText('Content Credentials').first().waitFor();
    assert.equal((await page.locator('.verdict').innerText()).match(/AI detected/g)?.length, 1);
    await page.getByRole('link', { name: 'Open it in Checks' }).click();
    await page.getByRole('dialog').getByRole('heading', { name: 'scene-signed-ai.jpg' }).waitFor();
    await page.keyboard.press('Escape');
    await openPage(page, 'Try');
    // Images that are added now are checked after all others.
    await choose('after.jpg');
    await rowOf('after.jpg').getByText('No AI detected').waitFor();
    assert.equal((await texts('.items .item-name')).at(-1), 'after.jpg');
  });

  it('passes the axe accessibility check in light mode, dark mode and on a phone', async () => {
    await atEachLook(page, async () => {
      assert.deepEqual(await findSerious(page), []);
    });
  });

  it('forgets the list of images when the person signs out', async () => {
    await page.locator('.menu summary').click();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('heading', { name: 'Telltale' }).waitFor();
    // The page clears the list only after it was drawn.
    await page.waitForFunction(() => !/press|scene/.test(JSON.stringify({ ...sessionStorage })));
  });

  it('contacts no other host', () => {
    assert.deepEqual(watch.foreignRequests, []);
  });
});
