// Tests the review of past checks in a browser: findings of an opened check, and steps through the list.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import type { AuditPage, CheckFindings, CheckPage } from '../../../src/service/console/shapes.js';
import { findAccount } from '../../../src/accounts/accounts.js';
import { keepHashes } from '../../../src/accounts/seen/seen.js';
import { findCutOff, findSerious, openConsole, openPage, type Person } from '../../support/browser.js';
import { signIn, type ConsoleClient } from '../../support/console.js';
import { fixture, ROOT } from '../../support/telltale.js';
import { openVisit, type Visit } from '../../support/visit.js';

const RITA: Person = { account: 'desk', email: 'rita@desk.example', role: 'member' };
const SWAPPED = join(ROOT, 'samples/portrait-face-swapped.jpg');
const SIGNED = join(ROOT, 'samples/scene-signed-ai.jpg');

describe('the review of past checks in a browser', function () {
  this.timeout(600_000);
  let visit: Visit;
  let page: Page;
  let client: ConsoleClient;

  before(async () => {
    visit = await openVisit();
    page = (await openConsole(visit.browser, visit.bench, RITA)).page;
    client = await signIn(visit.bench, RITA);
  });
  after(() => visit.close());

  const rows = () => page.locator('.history li');
  const dialog = (name: string) => page.getByRole('dialog', { name });

  it('shows the same image, outlines, scores and credentials for an opened check as Try showed', async () => {
    await page.getByLabel('Keep images').check();
    // One after the other, so that the signed image is the older check.
    await page.locator('input[type=file]').first().setInputFiles(SIGNED);
    await page.getByText('kept for 30 days').waitFor();
    await page.locator('input[type=file]').first().setInputFiles(SWAPPED);
    await page.locator('.items button', { hasText: 'portrait-face-swapped.jpg' }).click();
    await page.locator('.outlines li').first().waitFor();
    await page.getByText('kept for 30 days').waitFor();
    const labels = await page.locator('.outlines li').allInnerTexts();
    const scores = await page.locator('.track').evaluateAll((bars) => bars.map((bar) => bar.ariaLabel));
    await openPage(page, 'Checks');
    await rows().locator('a', { hasText: 'portrait-face-swapped.jpg' }).click();
    const opened = dialog('portrait-face-swapped.jpg');
    await opened.getByText('Computed again from the stored image.').waitFor();
    assert.deepEqual(await opened.locator('.outlines li').allInnerTexts(), labels);
    assert.ok(labels.length > 0, 'the face has an outline');
    assert.deepEqual(
      await opened.locator('.track').evaluateAll((bars) => bars.map((bar) => bar.ariaLabel)),
      scores,
    );
    await opened.getByRole('button', { name: 'Next check' }).click();
    const signed = dialog('scene-signed-ai.jpg');
    await signed.getByText('AI generated this image', { exact: true }).waitFor();
    assert.equal(await signed.getByRole('button', { name: 'Next check' }).isDisabled(), true);
    await signed.getByRole('button', { name: 'Previous check' }).click();
    await opened.waitFor();
    assert.deepEqual(await findSerious(page), []);
    await page.keyboard.press('Escape');
  });

  it('shows the flagged face of an opened check enlarged', async () => {
    await page.route('**/findings', async (route) => {
      const findings = (await (await route.fetch()).json()) as CheckFindings;
      const { result } = findings.again!;
      const faces = result.details?.faces?.map((face) => ({ ...face, score: 0.9999 }));
      const flagged = { ...result, details: { ...result.details, faces } };
      await route.fulfill({ json: { ...findings, again: { ...findings.again, result: flagged } } });
    });
    await rows().locator('a', { hasText: 'portrait-face-swapped.jpg' }).click();
    const opened = dialog('portrait-face-swapped.jpg');
    await opened.getByText(/^Flagged face, .* above its threshold$/).waitFor();
    const image = opened.getByRole('img', { name: 'The flagged face' });
    await image.evaluate((element: HTMLImageElement) => element.decode());
    const face = await opened.locator('.flagged-faces .crop').screenshot();
    assert.ok((await sharp(face).stats()).channels[0]!.stdev > 10, 'a face, not an empty window');
    await page.unroute('**/findings');
    await page.keyboard.press('Escape');
  });

  it('computes the findings of an opened check without a charge', async () => {
    const { body } = await client.call<{ checks: { id: string }[] }>('GET', '/checks');
    const usage = await client.call('GET', '/usage');
    const { body: findings } = await client.call<CheckFindings>(
      'GET',
      `/checks/${body.checks[0]!.id}/findings`,
    );
    assert.equal(findings.again?.is_same, true);
    assert.equal(findings.again.result.id, body.checks[0]!.id);
    assert.equal((await client.call('GET', '/usage')).text, usage.text);
    assert.equal((await client.call('GET', '/checks/chk_none/findings')).status, 404);
  });

  it('says what is not kept of a check whose image is not stored', async () => {
    await openPage(page, 'Try');
    await page.getByLabel('Keep images').uncheck();
    await page.locator('input[type=file]').first().setInputFiles(fixture('jpeg/scene.jpg'));
    await page.getByText('not kept', { exact: true }).waitFor();
    await openPage(page, 'Checks');
    await rows().locator('a', { hasText: 'scene.jpg' }).first().click();
    const opened = dialog('scene.jpg');
    await opened.getByText('The image was not kept.').waitFor();
    await opened.getByText('none was scored').waitFor();
    assert.equal(await opened.locator('.viewer').count(), 0);
    await page.keyboard.press('Escape');
  });

  it('sets the status of several selected checks, keeps their notes and writes an audit entry for each', async () => {
    const { body } = await client.call<CheckPage>('GET', '/checks');
    const [first, second, third] = body.checks.map(({ id }) => id);
    await client.call('PUT', `/checks/${first}/note`, { text: 'seen on a forum', status: 'open' });
    await page.goto(`${visit.bench.url}/checks`);
    await rows().nth(2).waitFor();
    await page.getByLabel('Select all listed checks').check();
    await page.getByText('3 selected').waitFor();
    await rows().nth(2).getByRole('checkbox').uncheck();
    await page.getByLabel('Status of the selected checks').selectOption('Cleared');
    await page.getByRole('button', { name: 'Set status' }).click();
    await rows().nth(1).getByText('cleared', { exact: true }).waitFor();
    await page.getByText('Select all listed checks').waitFor();
    assert.deepEqual(await findSerious(page), []);
    const { body: after } = await client.call<CheckPage>('GET', '/checks');
    assert.deepEqual(
      after.checks.map(({ note }) => [note?.status, note?.text, note?.by]),
      [
        ['cleared', 'seen on a forum', RITA.email],
        ['cleared', '', RITA.email],
        [undefined, undefined, undefined],
      ],
    );
    const owner = await signIn(visit.bench, { ...RITA, email: 'olga@desk.example', role: 'owner' });
    const { body: log } = await owner.call<AuditPage>('GET', '/audit?what=check.status_changed');
    assert.deepEqual(
      log.entries.map(({ subject, before, after: now, by }) => [subject, before, now, by.name]).sort(),
      [
        [first, { status: 'open' }, { status: 'cleared' }, RITA.email],
        [first, { status: null }, { status: 'open' }, RITA.email],
        [second, { status: null }, { status: 'cleared' }, RITA.email],
      ].sort(),
    );
    const stranger = await signIn(visit.bench, { ...RITA, account: 'other', email: 'eve@other.example' });
    const taken = await stranger.call<{ changed: number }>('PUT', '/checks/status', {
      ids: [third],
      status: 'confirmed',
    });
    assert.equal(taken.body.changed, 0);
  });

  it('lists unclear checks without a status as a review queue', async () => {
    const { database } = visit.bench;
    const { body } = await client.call<CheckPage>('GET', '/checks');
    const [first, second, third] = body.checks.map(({ id }) => id);
    await database.run((queries) =>
      queries('checks').whereIn('id', [first!, third!]).update({ assessment: 'unclear' }),
    );
    await page.goto(`${visit.bench.url}/checks`);
    await page.getByRole('button', { name: 'Review unclear checks' }).click();
    await page.waitForFunction(() => document.querySelectorAll('.history li').length === 1);
    assert.equal(await rows().locator('a').getAttribute('data-check'), third, `${first}, ${second}`);
  });

  it('finds earlier checks of an image without a check, with thumbnail, name and headline', async () => {
    const { database, url } = visit.bench;
    await keepHashes(database, (await findAccount(database, 'desk'))!.id, true);
    await page.goto(`${url}/checks`);
    const portrait = readFileSync(join(ROOT, 'samples/portrait.png'));
    await client.check(portrait, '?store=true');
    const before = (await client.call('GET', '/usage')).text;
    await page.reload();
    await page.getByRole('button', { name: 'Find an image' }).click();
    const opened = dialog('Find an image');
    await opened.locator('input[type=file]').setInputFiles(SWAPPED);
    const headline = opened.getByRole('link', { name: 'No AI detected' });
    const [name, link] = await Promise.all([
      opened.getByText('picture.bin', { exact: true }).boundingBox(),
      headline.boundingBox(),
    ]);
    assert.ok(name!.width > 60 && name!.y < link!.y, 'the name stands on one line above the headline');
    await page.waitForFunction(
      () => (document.querySelector<HTMLImageElement>('dialog img.tile')?.naturalWidth ?? 0) > 0,
    );
    assert.deepEqual(await findSerious(page), []);
    assert.equal((await client.call('GET', '/usage')).text, before);
    await opened.getByRole('button', { name: 'Close' }).click();
  });

  it('shows thumbnails of known images, refuses duplicates and asks before it removes one', async () => {
    const operator = visit.page;
    await operator.goto(`${visit.bench.url}/operator/known`);
    const add = async (): Promise<void> => {
      await operator.getByLabel('Image', { exact: true }).setInputFiles(fixture('jpeg/scene.jpg'));
      await operator.getByLabel('Note').fill('a drawn scene');
      await operator.getByRole('button', { name: 'Add the image' }).click();
    };
    await add();
    await operator.waitForFunction(
      () => (document.querySelector<HTMLImageElement>('td img.tile')?.naturalWidth ?? 0) > 0,
    );
    await add();
    await operator.getByText('This image is already listed as fake').waitFor();
    await operator.getByRole('button', { name: 'Remove a drawn scene' }).click();
    await operator.getByRole('dialog', { name: 'Remove this fake image?' }).waitFor();
    assert.deepEqual(await findSerious(operator), []);
    await operator.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await operator.getByText('There are no known images yet.').waitFor();
  });

  it('shows an opened check on a phone without cut-off content', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await rows().locator('a', { hasText: 'portrait-face-swapped.jpg' }).click();
    await dialog('portrait-face-swapped.jpg').getByText('Computed again').waitFor();
    assert.deepEqual(await findSerious(page), []);
    assert.deepEqual(await findCutOff(page), []);
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 1280, height: 900 });
  });
});
