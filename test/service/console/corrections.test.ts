// Reports in the operator's page, in a browser: a correction is learned, shown, put in force and taken back.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { findSerious, openPage } from '../../support/browser.js';
import { signIn } from '../../support/console.js';
import { drawPlasma, reportAsGenerated } from '../../support/reports.js';
import { makeSmallReference } from '../../support/small-reference.js';
import { ANN, openVisit, type Visit } from '../../support/visit.js';

describe('reports, in a browser', function () {
  this.timeout(600_000);
  let visit: Visit;
  let modelsDir: string;

  before(async () => {
    modelsDir = makeSmallReference();
    visit = await openVisit({ modelsDir });
    await reportAsGenerated(await signIn(visit.bench, ANN), drawPlasma(8));
  });
  after(async () => {
    await visit.close();
    rmSync(modelsDir, { recursive: true });
  });

  it('become a correction that an operator puts in force and takes back', async () => {
    const { page, watch } = visit;
    await openPage(page, 'Operator');
    await page.getByRole('tab', { name: 'Reports' }).click();
    await page.getByText('Members reported 8 pictures as AI and 0 as genuine').waitFor();
    await page.getByLabel('Name of a new correction').fill('desk');
    await page.getByRole('button', { name: 'Learn from the reports' }).click();
    await page.getByRole('cell', { name: 'ready', exact: true }).waitFor({ timeout: 540_000 });
    await page.getByRole('button', { name: 'Card of desk' }).click();
    await page.getByRole('cell', { name: 'your AI pictures' }).waitFor();
    assert.deepEqual(await findSerious(page), [], 'card');
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save the card' }).click();
    assert.equal((await saved).suggestedFilename(), 'desk.md');
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Put in force desk' }).click();
    await page.getByText('In force: desk.').waitFor();
    await page.getByText(/This process answers with telltale-\S+\+desk\.\d{8}\./).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Delete desk' }).count(), 0);
    assert.deepEqual(await findSerious(page), [], 'panel');
    await page.getByRole('button', { name: 'Go back to what shipped' }).click();
    await page.getByText('In force: what shipped.').waitFor();
    await page.getByRole('button', { name: 'Delete desk' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('None was learned yet.').waitFor();
    assert.deepEqual([watch.errors, watch.strangers], [[], []]);
  });
});
