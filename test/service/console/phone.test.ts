// Tests the console on a phone, with a real browser: verdict first, camera, cards instead of tables, nothing
// cut off.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import {
  findCutOff,
  findSerious,
  findSeriousOn,
  openConsole,
  openPage,
  settle,
  type Person,
} from '../../support/browser.js';
import { makeManipulated } from '../../support/images.js';
import { ROOT } from '../../support/telltale.js';
import { openVisit, type Visit } from '../../support/visit.js';

const PAGES = ['Try', 'Checks', 'Verify', 'Usage', 'API keys', 'Members', 'Webhooks', 'Operator'] as const;
const BEA: Person = {
  account: 'harbour',
  email: 'bea.of.the.picture.desk@harbour.example',
  role: 'operator',
};
const UPRIGHT = { width: 360, height: 740 };

describe('the console on a phone', function () {
  this.timeout(600_000);
  let visit: Visit;
  let page: Page;
  let context: BrowserContext;

  before(async () => {
    visit = await openVisit();
    ({ context, page } = await openConsole(visit.browser, visit.bench, BEA, {
      viewport: UPRIGHT,
      isMobile: true,
      hasTouch: true,
    }));
    page.setDefaultTimeout(30_000);
  });
  after(async () => {
    await context.close();
    await visit.close();
  });

  const top = async (selector: string): Promise<number> =>
    (await page.locator(selector).first().boundingBox())!.y;

  it('takes a photo with the camera or accepts a chosen file, and scrolls to the verdict', async () => {
    const camera = page.getByLabel('Take a photo');
    assert.equal(await camera.getAttribute('capture'), 'environment');
    await page.getByLabel('Choose').setInputFiles(join(ROOT, 'samples/scene.jpg'));
    await page.locator('.verdict h2', { hasText: 'No AI detected' }).waitFor();
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    const photo = { name: 'photo.jpg', mimeType: 'image/jpeg', buffer: await makeManipulated() };
    await camera.setInputFiles(photo);
    await page.locator('.verdict h2', { hasText: /^AI detected/ }).waitFor();
    // The page scrolls only after it was drawn.
    await settle(page);
    const seen = await top('.verdict h2');
    assert.ok(seen > 0 && seen < UPRIGHT.height - 40, `${seen}`);
    assert.equal(await page.locator('.items li').count(), 2);
    await visit.page.getByText('Drop images here').waitFor();
    assert.equal(await visit.page.getByText('Take a photo').count(), 0, 'a desk has no camera');
  });

  it('shows the verdict above the image', async () => {
    await page.evaluate(() => window.scrollTo(0, 0));
    const order = await Promise.all(
      ['.bar', '.items', '.verdict', '.viewer', '.intake', '.detectors', '.developers'].map(top),
    );
    assert.deepEqual(
      order,
      [...order].sort((one, other) => one - other),
    );
    const verdict = (await page.locator('.verdict').boundingBox())!;
    assert.ok(verdict.y < 220, `${verdict.y}`);
    assert.ok((await top('.viewer')) < UPRIGHT.height - 200, 'the image begins on the first screen');
  });

  it('turns table rows into cards that repeat the column headings', async () => {
    await openPage(page, 'API keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name').fill('newsroom intake of the evening');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    const cells = page.getByRole('row').last().getByRole('cell');
    await page.getByRole('cell', { name: 'newsroom intake of the evening', exact: true }).waitFor();
    const heads = await cells.evaluateAll((all) =>
      all.map((cell) => getComputedStyle(cell, '::before').content),
    );
    assert.match(heads[0] ?? '', /^"Name"/);
    assert.match(heads[2] ?? '', /^"Scopes"/);
    const boxes = await Promise.all((await cells.all()).map((cell) => cell.boundingBox()));
    assert.ok(boxes.every((box, at) => at === 0 || box!.y >= boxes[at - 1]!.y + boxes[at - 1]!.height - 1));
    await page.getByRole('button', { name: 'Revoke newsroom intake of the evening' }).waitFor();
  });

  it('cuts off nothing on any page or dialog, in portrait, in landscape and with text twice as large', async () => {
    const devtools = await context.newCDPSession(page);
    const setLetters = (standard: number) =>
      devtools.send('Page.setFontSizes', { fontSizes: { standard, fixed: (standard * 13) / 16 } });
    const found: string[] = [];
    const look = async (where: string): Promise<void> => {
      for (const [how, size, letters] of [
        ['on its side', { width: 740, height: 360 }, 16],
        ['large letters', UPRIGHT, 32],
        ['upright', UPRIGHT, 16],
      ] as const) {
        await page.setViewportSize(size);
        await setLetters(letters);
        const drawn = await page.evaluate(() => getComputedStyle(document.body).fontSize);
        assert.equal(drawn, `${(letters / 16) * 14}px`);
        await settle(page);
        found.push(...(await findCutOff(page)).map((fault) => `${where}, ${how}: ${fault}`));
      }
    };
    for (const name of PAGES) {
      await openPage(page, name);
      await look(name);
    }
    for (const tab of ['API keys', 'Thresholds', 'Health']) {
      await page.getByRole('tab', { name: tab }).click();
      await look(tab);
    }
    await openPage(page, 'Try');
    await page.getByText('For developers').click();
    await look('For developers');
    await page.locator('.menu summary').click();
    await look('menu');
    await page.locator('.menu summary').click();
    await openPage(page, 'Checks');
    await page.locator('.history a').first().click();
    await page.getByRole('dialog').waitFor();
    await look('check');
    await page.keyboard.press('Escape');
    assert.deepEqual(found, []);
    await page.setViewportSize({ width: 740, height: 360 });
    await openPage(page, 'Try');
    await page.evaluate(() => window.scrollTo(0, 400));
    assert.ok((await top('.bar')) < 0, 'the bar leaves the little height to the image');
    await page.setViewportSize(UPRIGHT);
  });

  it('passes the axe accessibility check', async () => {
    // Only the light colours are checked: the colours equal the desktop's, which other tests check in dark
    // mode.
    assert.deepEqual(await findSeriousOn(page, PAGES, ['light']), []);
    await openPage(page, 'Checks');
    await page.locator('.history a').first().click();
    await page.getByRole('dialog').waitFor();
    assert.deepEqual(await findSerious(page), []);
    await page.keyboard.press('Escape');
  });

  it('hides the filters behind a button, and fades the edge of a navigation bar that can be scrolled', async () => {
    await openPage(page, 'Checks');
    const verdict = page.getByLabel('Result');
    await verdict.waitFor({ state: 'hidden' });
    assert.ok((await top('.history li')) < UPRIGHT.height * 0.6);
    await page.getByRole('button', { name: 'Filters' }).click();
    await verdict.selectOption('AI detected');
    await page.getByRole('button', { name: 'Filters (1)' }).click();
    await verdict.waitFor({ state: 'hidden' });
    const bar = page.locator('.bar nav');
    await bar.evaluate((element) => element.scrollTo(0, 0));
    await page.locator('.bar nav.more-after:not(.more-before)').waitFor();
    await bar.evaluate((element) => element.scrollTo(element.scrollWidth, 0));
    await page.locator('.bar nav.more-before:not(.more-after)').waitFor();
    assert.match(await bar.evaluate((element) => getComputedStyle(element).maskImage), /linear-gradient/);
  });

  it('scrolls the navigation bars to the current page and tab', async () => {
    for (const name of [...PAGES].reverse()) {
      await openPage(page, name);
      await settle(page);
      const [tab, bar] = [
        (await page.locator('.bar [aria-current]').boundingBox())!,
        (await page.locator('.bar nav').boundingBox())!,
      ];
      assert.ok(tab.x >= bar.x - 1 && tab.x + tab.width <= bar.x + bar.width + 1, name);
    }
    await page.goto(`${visit.bench.url}/operator`);
    await page.getByRole('heading', { level: 1, name: 'Operator' }).waitFor();
    await settle(page);
    assert.ok(
      (await page.locator('.bar [aria-current]').boundingBox())!.x < UPRIGHT.width - 40,
      'by its address',
    );
  });
});
