// Tests the operator's thresholds page in a browser: images used for a fit, effects, activation and rollback.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { findSerious, openPage } from '../../support/browser.js';
import { addThresholds, drawBoxes, judge, keenBands } from '../../support/cleared.js';
import { makeSteered } from '../../support/images.js';
import { signIn } from '../../support/console.js';
import { ANN, openVisit, type Visit } from '../../support/visit.js';

describe('fitting thresholds to an operator’s images, in a browser', function () {
  this.timeout(600_000);
  let visit: Visit;
  const bands = keenBands('keen');

  before(async () => {
    visit = await openVisit();
    const { bench } = visit;
    const mill = await signIn(bench, { account: 'mill', email: 'm@mill.example', role: 'member' });
    const ann = await signIn(bench, ANN);
    for (const number of [0, 1, 2]) await judge(mill, drawBoxes(number), { status: 'cleared' });
    for (const number of [3, 4]) await judge(ann, drawBoxes(number), { status: 'cleared' });
    await judge(ann, makeSteered(235, 20, 235), { label: 'real' });
    await addThresholds(bench.database, 'keen', bands);
  });
  after(() => visit.close());

  const openThresholds = async (page: Page): Promise<void> => {
    await openPage(page, 'Operator');
    await page.getByRole('tab', { name: 'Thresholds' }).click();
    await page.getByRole('checkbox', { name: 'mill' }).waitFor();
  };

  it('lists the available images by day and account, and refuses a fit to too few images', async () => {
    const { page } = visit;
    await openThresholds(page);
    await page.getByText('5 genuine images are chosen. At least 300 different images are').waitFor();
    await page.getByRole('checkbox', { name: /^also those reported/ }).check();
    await page.getByText('6 genuine images are chosen').waitFor();
    await page.getByLabel('Checks from').fill('2999-01-01');
    await page.getByText('There are no cleared checks with a stored image.').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Fit thresholds' }).isDisabled());
    await page.getByLabel('Checks from').fill('2020-01-01');
    await page.getByRole('checkbox', { name: 'mill' }).uncheck();
    await page.getByText('3 genuine images are chosen').waitFor();
    await page.getByLabel('Name of new thresholds').fill('few');
    await page.getByRole('button', { name: 'Fit thresholds' }).click();
    await page
      .getByText(/refused: Expected at least 300 different genuine images but received 0\. .* 3 beyond half/)
      .waitFor();
    // The service reports that the values are in the wrong order. The form keeps them.
    await page.getByLabel('Name of new thresholds').fill('wrong');
    await page.getByLabel('strict %').fill('20');
    await page.getByRole('button', { name: 'Fit thresholds' }).click();
    await page.getByText(/Expected shares from over 0 to 0.5 that rise from strict/).waitFor();
    assert.equal(await page.getByLabel('Name of new thresholds').inputValue(), 'wrong');
    await page.reload();
  });

  it('shows error rates before and after by image kind and account, activates the thresholds and restores the former ones', async () => {
    const { page } = visit;
    await openThresholds(page);
    await page.getByRole('button', { name: 'Card of keen' }).click();
    const does = page.getByRole('region', { name: 'What keen does' });
    for (const cell of ['photographed', 'drawn', 'face'])
      await does.getByRole('cell', { name: cell, exact: true }).first().waitFor();
    await does
      .getByText(/^\d+ of 400, .*% \(.*% to .*%\)$/)
      .first()
      .waitFor();
    const whose = page.getByRole('region', { name: 'Whose images keen is fitted to' });
    await whose.getByRole('cell', { name: '1 member' }).waitFor();
    assert.deepEqual(await findSerious(page), [], 'card');
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Activate keen' }).click();
    await page.getByText('Active: keen.').waitFor();
    await page.getByText(`Its thresholds are ${bands.version}.`).waitFor();
    await page.getByRole('button', { name: 'Restore the shipped thresholds' }).click();
    await page.getByText('Active: shipped thresholds.').waitFor();
  });

  it('passes the axe accessibility check in light mode, dark mode and on a phone, without cut-off content', async () => {
    const { page, watch } = visit;
    for (const [colorScheme, width, height] of [
      ['light', 1440, 900],
      ['dark', 1440, 900],
      ['light', 360, 740],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height });
      assert.deepEqual(await findSerious(page), [], `${colorScheme}, ${width} px`);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width} px`);
    }
    // The browser logs the two refusals.
    assert.deepEqual(
      watch.errors.filter((line) => !line.includes('400 (Bad Request)')),
      [],
    );
    assert.deepEqual(watch.foreignRequests, []);
  });
});
