// Tests appeals in a real browser: a person sends the original through a link, an operator decides, and the
// person reads the decision.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import sharp from 'sharp';
import { atEachLook, findCutOff, findSerious, openConsole, type Person } from '../../support/browser.js';
import { postForm, postJson } from '../../support/service.js';
import { ROOT } from '../../support/telltale.js';
import { HOSTILE, openVisit, type Visit } from '../../support/visit.js';

const BOSS: Person = { account: 'host', email: 'boss@host.example', role: 'operator' };
const ORIGINAL = join(ROOT, 'samples/portrait.png');

describe('appeals against verdicts in a browser', function () {
  this.timeout(600_000);
  let visit: Visit;
  let link: string;

  before(async () => {
    visit = await openVisit();
    const { url } = visit.bench;
    const key = await visit.bench.newKey({ account: 'desk' });
    const met = await sharp(ORIGINAL)
      .extract({ left: 60, top: 0, width: 350, height: 350 })
      .jpeg()
      .toBuffer();
    const { body } = await postForm(`${url}/v1/check?store=true`, key, 'file', [met]);
    const made = await postJson(`${url}/v1/checks/${body.id}/appeal-links`, key, {});
    ({ url: link } = JSON.parse(made.text) as { url: string });
  });
  after(() => visit.close());

  it('are submitted through a link and decided by an operator; the sender can then read the decision in full', async () => {
    const { browser, bench } = visit;
    const { page, watch } = await openConsole(browser, bench, BOSS);
    const person = await browser.newPage();
    person.setDefaultTimeout(90_000);
    await person.goto(link);
    await person.getByRole('heading', { name: 'Send the original' }).waitFor();
    assert.ok(!person.url().includes('apt_'), 'the token leaves the address bar');
    const look = async (at: typeof page): Promise<void> => {
      assert.deepEqual(await findCutOff(at), []);
      assert.deepEqual(await findSerious(at), []);
    };
    await atEachLook(person, () => look(person));
    await person.getByLabel('Image').setInputFiles(join(ROOT, 'samples/portrait-too-small.png'));
    await person.getByRole('button', { name: 'Appeal' }).click();
    await person.getByText(/must have at least 256 px/).waitFor();
    await person.getByLabel('Image').setInputFiles(ORIGINAL);
    await person.getByLabel('Your explanation').fill(`mine ${HOSTILE}`);
    await person.getByRole('button', { name: 'Appeal' }).click();
    await person.getByText('Your appeal waits for a decision').waitFor();

    await page.goto(`${bench.url}/operator/appeals`);
    const appeal = page.getByRole('article');
    await appeal.getByText(`mine ${HOSTILE}`).waitFor();
    await appeal.getByText(/the checked image shows 4\d% of the original/).waitFor();
    await appeal.getByText('PNG, 512 × 512 px').waitFor();
    await appeal.getByRole('img', { name: 'The original' }).waitFor();
    await atEachLook(page, () => look(page));
    await appeal.getByRole('button', { name: /^Decide/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('The verdict is').selectOption('verdict_overturned');
    await dialog.getByLabel('Remark').fill('the card has it');
    assert.deepEqual(await findSerious(page), []);
    await dialog.getByRole('button', { name: 'Decide' }).click();
    await page.getByText('No appeal is open').waitFor();
    await page.getByLabel('Decided ones, too').check();
    await appeal.getByText(/The verdict was overturned, .*“the card has it”/).waitFor();
    assert.equal(await appeal.getByRole('button').count(), 0);

    await person.goto('about:blank');
    await person.goto(link);
    await person.getByText('The verdict was overturned').waitFor();
    await person.getByText('the card has it').waitFor();
    await person.close();
    assert.deepEqual([watch.errors, watch.foreignRequests], [[], []]);
  });
});
