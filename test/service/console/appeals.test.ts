// Tests appeals in a real browser: a person sends the original through a link on a phone, an operator decides, and the
// account sees the result.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import {
  atEachLook,
  findCutOff,
  findSerious,
  openConsole,
  openPage,
  type Person,
} from '../../support/browser.js';
import { postForm, postJson, send } from '../../support/service.js';
import { ROOT } from '../../support/telltale.js';
import { HOSTILE, openVisit, type Visit } from '../../support/visit.js';

const BOSS: Person = { account: 'host', email: 'boss@host.example', role: 'operator' };
const CLERK: Person = { account: 'desk', email: 'clerk@desk.example', role: 'owner' };
const ORIGINAL = join(ROOT, 'samples/portrait.png');
const SWAPPED = join(ROOT, 'samples/portrait-face-swapped.jpg');
const PHONE = { width: 390, height: 844 };

/** Folder for screenshots that a person wants to look at; none are taken without it. */
const SHOTS = process.env['TELLTALE_SHOTS'];

async function shoot(page: Page, name: string): Promise<void> {
  if (SHOTS === undefined) return;
  const size = page.viewportSize();
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    await page.waitForTimeout(300);
    await page.screenshot({ path: join(SHOTS, `${name}-${width}.png`), fullPage: true });
  }
  if (size) await page.setViewportSize(size);
}

const look = async (at: Page): Promise<void> => {
  assert.deepEqual(await findCutOff(at), []);
  assert.deepEqual(await findSerious(at), []);
};

describe('appeals against verdicts in a browser', function () {
  this.timeout(600_000);
  let visit: Visit;
  let key: string;

  before(async () => {
    visit = await openVisit();
    key = await visit.bench.newKey({ account: 'desk' });
  });
  after(() => visit.close());

  /** Checks an image of the account and returns the check's path in the API. */
  const check = async (bytes: Uint8Array): Promise<string> => {
    const { body } = await postForm(`${visit.bench.url}/v1/check?store=true`, key, 'file', [bytes]);
    return `${visit.bench.url}/v1/checks/${body.id}`;
  };
  const newLink = async (path: string): Promise<{ id: string; url: string }> =>
    JSON.parse((await postJson(`${path}/appeal-links`, key, {})).text) as { id: string; url: string };
  const openLink = async (url: string): Promise<Page> => {
    const person = await visit.browser.newPage({ viewport: PHONE });
    person.setDefaultTimeout(90_000);
    await person.goto(url);
    return person;
  };

  it('are filed on a phone through a link, decided beside both images with a warning about face swaps, and shown to the account', async () => {
    const { browser, bench } = visit;
    const path = await check(readFileSync(SWAPPED));
    const id = path.split('/').at(-1) ?? '';
    // The networks of tests decide at random, so the verdict of a face swap is stored here.
    const verdict = {
      is_ai: 1,
      assessment: 'likely_ai',
      fired: 'face_specialist',
      reason: 'AI detected: the face',
    };
    await bench.database.run((queries) => queries('checks').where({ id }).update(verdict));
    const clerk = await openConsole(browser, bench, CLERK);
    await clerk.page.goto(`${bench.url}/checks/${id}`);
    await clerk.page.getByRole('button', { name: 'Create a link for an appeal' }).click();
    const address = clerk.page.locator('.secret code');
    await address.waitFor();
    // Long reasons in the list behind the dialog end in an ellipsis.
    assert.deepEqual(await findSerious(clerk.page), []);
    await shoot(clerk.page, 'check');
    const person = await openLink((await address.textContent()) ?? '');

    await person.getByRole('heading', { name: 'Send the original' }).waitFor();
    assert.ok(!person.url().includes('apt_'), 'the token leaves the address bar');
    await person.getByText('desk', { exact: true }).waitFor();
    await person.getByRole('img', { name: 'The checked image' }).waitFor();
    await person.getByText(/3 attempts left/).waitFor();
    await person.reload();
    await person.getByText(/3 attempts left/).waitFor();
    await atEachLook(person, () => look(person));
    await person.setViewportSize(PHONE);
    await shoot(person, 'link');
    const image = person.getByLabel('Image', { exact: true });
    await image.setInputFiles(join(ROOT, 'samples/scene.jpg'));
    await person.getByText('not sent yet').waitFor();
    await person.getByRole('button', { name: 'Take the file back' }).click();
    assert.equal(await image.inputValue(), '');
    await image.setInputFiles(join(ROOT, 'samples/portrait-too-small.png'));
    await person.getByRole('button', { name: 'Compare and appeal' }).click();
    await person.getByText(/must have at least 256 px/).waitFor();
    await person.getByText(/3 attempts left/).waitFor();
    await image.setInputFiles(ORIGINAL);
    await person.getByLabel('Your explanation').fill(`mine ${HOSTILE}`);
    await shoot(person, 'chosen');
    await person.getByRole('button', { name: 'Compare and appeal' }).click();
    await person.getByText('Your appeal waits for a decision').waitFor();
    await person.getByText(/2 attempts left/).waitFor();
    await look(person);
    await shoot(person, 'sent');

    const { page, watch } = await openConsole(browser, bench, BOSS);
    await page.getByText('One appeal waits for your decision').waitFor();
    await page.goto(`${bench.url}/operator/appeals`);
    const appeal = page.getByRole('article');
    await appeal.getByText(`mine ${HOSTILE}`).waitFor();
    await appeal.getByRole('img', { name: 'The original' }).waitFor();
    await appeal.getByRole('img', { name: 'The checked image' }).waitFor();
    await appeal.getByRole('row', { name: /^Score of the face 0\.\d+ 0\.\d+/ }).waitFor();
    await appeal.getByRole('heading', { name: 'AI detected, desk' }).waitFor();
    await appeal.getByRole('row', { name: 'Result AI detected No AI detected' }).waitFor();
    await appeal.getByText('The verdict is about the face').waitFor();
    await atEachLook(page, () => look(page));
    await shoot(page, 'operator');
    await appeal.getByRole('button', { name: /^Decide/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The verdict is about the face').waitFor();
    await dialog.getByLabel('The verdict is').selectOption('verdict_overturned');
    await dialog.getByLabel('Remark').fill('the card has it');
    assert.deepEqual(await findSerious(page), []);
    await shoot(page, 'decide');
    await dialog.getByRole('button', { name: 'Decide' }).click();
    await page.getByText('No appeal is open').waitFor();
    await page.getByLabel('Decided ones, too').check();
    await appeal.getByText(/The verdict was overturned, .*“the card has it”/).waitFor();
    assert.equal(await appeal.getByRole('button').count(), 0);

    await person.reload();
    await person.getByRole('heading', { name: 'The verdict was overturned' }).waitFor();
    await person.getByText('the card has it').waitFor();
    assert.equal(await person.getByLabel('Image', { exact: true }).count(), 0);
    await look(person);
    await shoot(person, 'decided');
    await person.close();

    await clerk.page.goto(`${bench.url}/usage`);
    await clerk.page.getByText('An appeal arrived, and an appeal was decided.').waitFor();
    await clerk.page.getByRole('region', { name: 'By key and outcome' }).last().waitFor();
    assert.match(
      await clerk.page.getByRole('region', { name: 'By key and outcome' }).last().innerText(),
      /Overturned/,
    );
    await openPage(clerk.page, 'Appeals');
    await clerk.page.getByRole('heading', { name: /^Verdict overturned/ }).waitFor();
    await atEachLook(clerk.page, () => look(clerk.page));
    await shoot(clerk.page, 'appeals');
    await openPage(clerk.page, 'Checks');
    await clerk.page.getByText('Overturned', { exact: true }).last().waitFor();
    assert.equal(await clerk.page.locator('.history .word.likely_ai').count(), 0);
    await shoot(clerk.page, 'checks');
    await clerk.page.getByLabel('Result').selectOption('overturned');
    await clerk.page.getByText('It was: ').waitFor();
    await openPage(clerk.page, 'Audit log');
    await clerk.page.getByText(/^Appeal apl_\S+ against chk_\S+ arrived through the link apk_/).waitFor();
    await clerk.page.getByRole('cell', { name: /^the link apk_/ }).waitFor();
    await clerk.page.getByText(/^Created the link apk_\S+ for an appeal against chk_/).waitFor();
    await shoot(clerk.page, 'audit');
    assert.deepEqual([watch.errors, watch.foreignRequests], [[], []]);
    assert.deepEqual([clerk.watch.errors, clerk.watch.foreignRequests], [[], []]);
  });

  it('explain a missing, unknown, revoked or expired link, and let the sender withdraw a file', async () => {
    const path = await check(await sharp(ORIGINAL).resize(300).jpeg().toBuffer());
    const link = await newLink(path);
    const person = await openLink(`${visit.bench.url}/appeal`);
    await person.getByText(/Open the whole link that you received/).waitFor();
    await person.goto(`${link.url.slice(0, -1)}${link.url.endsWith('x') ? 'y' : 'x'}`);
    await person.getByText(/This link for an appeal is unknown/).waitFor();
    await look(person);
    await shoot(person, 'unknown');
    await person.goto(link.url);
    await person.getByLabel('Image', { exact: true }).setInputFiles(join(ROOT, 'samples/scene.jpg'));
    await person.getByRole('button', { name: 'Compare and appeal' }).click();
    await person.getByRole('button', { name: 'Withdraw this file' }).click();
    await person.getByRole('heading', { name: 'You withdrew this file' }).waitFor();
    await look(person);
    await shoot(person, 'withdrawn');
    const expire = (at: number) =>
      visit.bench.database.run((queries) =>
        queries('appeal_links').where({ id: link.id }).update({ expires_at: at }),
      );
    await expire(Date.now() - 1);
    await person.reload();
    await person.getByText(/This link expired on .* Nothing more can be sent/).waitFor();
    await expire(Date.now() + 60_000);
    const headers = { authorization: `Bearer ${key}` };
    await send(`${path}/appeal-links/${link.id}`, { method: 'DELETE', headers });
    await person.reload();
    await person.getByText('desk revoked this link. Ask there for a new link.').waitFor();
    await person.close();
  });
});
