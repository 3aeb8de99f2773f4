// People at work in the console, with a real browser: what they do, and what they see of it.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import {
  launchBrowser,
  makeLink,
  openConsole,
  watchContext,
  type Person,
  type Watch,
} from '../support/browser.js';
import { tEXt, withChunks } from '../support/declared-pictures.js';
import { openBench, send, type ServiceBench } from '../support/service.js';
import { fixture, ROOT } from '../support/telltale.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const sample = (name: string): string => join(ROOT, 'samples', name);
/** Names that would be script where they were taken for markup. */
const HOSTILE = '<img src=x onerror=alert(1)>';
const ann: Person = { account: `acme ${HOSTILE}`, email: 'ann@acme.example', role: 'operator' };

describe('the console in a browser', function () {
  this.timeout(180_000);
  let browser: Browser;
  let bench: ServiceBench;
  let pictures: Server;
  let folder: string;
  let page: Page;
  let context: BrowserContext;
  let watch: Watch;
  /** Ends what was begun, also where the rest could not be. */
  const endings: (() => unknown)[] = [];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'telltale-browser-'));
    endings.push(() => rmSync(folder, { recursive: true, force: true }));
    pictures = createServer((_request, response) => response.end(readFileSync(sample('portrait.png'))));
    await new Promise<void>((resolve) => pictures.listen(0, '127.0.0.1', resolve));
    endings.push(() => pictures.close());
    browser = await launchBrowser();
    endings.push(() => browser.close());
    bench = await openBench(
      { kind: 'sqlite', path: join(folder, 'telltale.sqlite') },
      { trustDir: sample('trust'), deadlineMs: 120_000 },
      { fetcher: { isAllowed: () => true } },
    );
    endings.push(() => bench.close());
    ({ page, context, watch } = await openConsole(
      browser,
      { database: bench.database, url: bench.url },
      ann,
    ));
  });

  after(async () => {
    for (const end of endings.reverse()) await end();
  });

  const open = async (name: string): Promise<void> => {
    await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
  };
  const heading = (name: string) => page.locator('.verdict').getByRole('heading', { name });
  const choose = (...paths: string[]) => page.locator('input[type=file]').setInputFiles(paths);
  const readUsed = async (): Promise<number> => {
    await open('Usage');
    const text = await page.getByTestId('used').innerText();
    return Number(text.replaceAll(/\D/g, ''));
  };
  const findSerious = async (on: Page): Promise<string[]> => {
    await on.evaluate(AXE);
    const results = await on.evaluate<AxeResults>('axe.run()');
    return results.violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
  };

  it('takes a dropped picture and shows verdict, boxes, heat map and what the file says', async () => {
    const declared = tEXt(
      'parameters',
      `${HOSTILE}\nSteps: 20, Sampler: Euler a, CFG scale: 7, Seed: 1, Size: 512x512`,
    );
    const bytes = withChunks(readFileSync(sample('portrait.png')), declared).toString('base64');
    const transfer = await page.evaluateHandle(
      ([data, name]) => {
        const binary = atob(data ?? '');
        const file = new File([Uint8Array.from(binary, (letter) => letter.charCodeAt(0))], name ?? '', {
          type: 'image/png',
        });
        const dropped = new DataTransfer();
        dropped.items.add(file);
        return dropped;
      },
      [bytes, `${HOSTILE}.png`],
    );
    await page.dispatchEvent('.drop', 'drop', { dataTransfer: transfer });
    await heading('No AI detected').waitFor();
    await page.getByText('Not proof that the picture is genuine').waitFor();
    const said = page.getByRole('region', { name: 'What the file itself says' });
    assert.match(await said.innerText(), /Generation parameters\s+AI, generated with Stable Diffusion/);
    assert.ok((await said.innerText()).includes(HOSTILE));
    assert.equal(await page.locator('.boxes li').count(), 1);
    assert.match(
      (await page.locator('.boxes li').getAttribute('title')) ?? '',
      /^swapped or edited 0\.\d+, generated 0\.\d+$/,
    );
    const box = await page.locator('.boxes li').boundingBox();
    const frame = await page.locator('.frame').boundingBox();
    // The face of the sample is 178, 57 in 512 pixels.
    assert.ok(box && frame && Math.abs((box.x - frame.x) / frame.width - 178 / 512) < 0.01);
    assert.ok(Math.abs((box.y - frame.y) / frame.height - 57 / 512) < 0.01);
    const painted = await page.locator('canvas.heat').evaluate((canvas: HTMLCanvasElement) => {
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
      return data.some((value, at) => at % 4 === 3 && value > 0);
    });
    assert.ok(painted);
    await page.getByLabel('1 face').uncheck();
    await page.getByLabel('Heat map').uncheck();
    assert.equal(await page.locator('.boxes li, canvas.heat').count(), 0);
    await page.getByRole('tab', { name: 'curl' }).click();
    assert.match(
      await page.locator('.code pre').innerText(),
      /curl -H "Authorization: Bearer \$TELLTALE_KEY"/,
    );
    await page.getByRole('tab', { name: 'JSON' }).click();
    assert.match(await page.locator('.code pre').innerText(), /"is_ai": false/);
  });

  it('judges again by another profile without another check', async () => {
    const used = await readUsed();
    await open('Try');
    const threshold = (): Promise<string> => page.locator('.figures').first().innerText();
    const balanced = await threshold();
    await page.getByText('strict', { exact: true }).click();
    await page.getByText('Judged again by strict').waitFor();
    assert.notEqual(await threshold(), balanced);
    await page.getByText('balanced', { exact: true }).click();
    assert.equal(await threshold(), balanced);
    assert.equal(await readUsed(), used);
  });

  it('takes a pasted picture, and an address', async () => {
    await open('Try');
    const bytes = readFileSync(sample('scene.jpg')).toString('base64');
    await page.evaluate((data) => {
      const file = new File([Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))], 'pasted.jpg', {
        type: 'image/jpeg',
      });
      const clipboardData = new DataTransfer();
      clipboardData.items.add(file);
      document.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
    }, bytes);
    await page.locator('.items button', { hasText: 'pasted.jpg' }).getByText('No AI detected').waitFor();
    await page.getByText('no face of 64 px or more', { exact: true }).waitFor();
    const { port } = pictures.address() as AddressInfo;
    await page.getByLabel('Address of a picture').fill(`http://127.0.0.1:${port}/one.png`);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.locator('.items button', { hasText: '/one.png' }).getByText('No AI detected').waitFor();
    await page.locator('.frame img').waitFor();
  });

  it('says why a picture is refused, and what would be accepted', async () => {
    await choose(sample('portrait-too-small.png'));
    await heading('Not checked').waitFor();
    await page.getByText('the shorter side must be at least 256 px').waitFor();
    await page.getByRole('heading', { name: 'What is accepted' }).waitFor();
  });

  it('shows a TIFF, and Content Credentials that decide', async () => {
    await choose(fixture('tiff/scene.tif'), sample('scene-signed-ai.jpg'));
    await page.locator('.items button', { hasText: 'scene-signed-ai.jpg' }).getByText('AI detected').click();
    await page.getByText('They count: the signer is trusted').waitFor();
    await page.getByText('not run: Content Credentials decided').first().waitFor();
    await page.locator('.items button', { hasText: 'scene.tif' }).click();
    await page.locator('.verdict h2', { hasText: 'AI detected' }).waitFor();
    await page.waitForFunction(
      () => (document.querySelector<HTMLImageElement>('.frame img')?.naturalWidth ?? 0) > 0,
    );
  });

  it('counts exactly the checks made', async () => {
    const before = await readUsed();
    await open('Try');
    await choose(sample('portrait.png'), sample('scene.jpg'), sample('portrait-too-small.png'));
    await page.waitForFunction(() => {
      const words = [...document.querySelectorAll('.items .word')].map((word) => word.textContent);
      return words.every((word) => /detected|Not checked/.test(word));
    });
    assert.equal(await readUsed(), before + 2);
    await page.getByRole('button', { name: 'Table' }).click();
    await page.getByRole('columnheader', { name: 'Day (UTC)' }).waitFor();
  });

  it('makes a key, shows it once, and revokes it', async () => {
    await open('Keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name').fill(HOSTILE);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('it will not be shown again').waitFor();
    const key = await page.locator('.secret code').innerText();
    const use = () => send(`${bench.url}/v1/usage`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal((await use()).status, 200);
    await page.getByRole('button', { name: 'Done' }).click();
    assert.equal(await page.getByText(key).count(), 0);
    await page.getByRole('cell', { name: HOSTILE }).first().waitFor();
    await page.getByRole('button', { name: `Revoke ${HOSTILE}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('cell', { name: 'revoked' }).waitFor();
    await page.waitForTimeout(600);
    assert.equal((await use()).status, 401);
  });

  it('reports a wrong verdict, and lists it', async () => {
    await open('Try');
    await page.getByLabel('Keep pictures').check();
    await choose(sample('scene.jpg'));
    await heading('No AI detected').waitFor();
    await page.getByRole('button', { name: 'Report a wrong verdict' }).click();
    await page.getByLabel('Face-swapped').check();
    await page.getByLabel('A word about it').fill('the jaw is off');
    await page.getByRole('dialog').getByRole('button', { name: 'Report' }).click();
    await page.getByRole('button', { name: 'Reported, thank you' }).waitFor();
    await open('Checks');
    await page.getByLabel('Verdict').selectOption('Reported as wrong');
    await page.locator('.history tbody tr').getByText('reported', { exact: true }).waitFor();
    // The row stands in the unfiltered list too, which may still be shown.
    await page.waitForFunction(() => document.querySelectorAll('.history tbody tr').length === 1);
    await page.locator('.history tbody button').click();
    await page.getByText('“the jaw is off”').waitFor();
    await page.waitForFunction(
      () => (document.querySelector<HTMLImageElement>('img.kept')?.naturalWidth ?? 0) > 0,
    );
    await page.keyboard.press('Escape');
  });

  it('has nothing serious for axe on any page, light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const name of ['Try', 'Checks', 'Usage', 'Keys', 'Members', 'Operator']) {
        await open(name);
        await page.waitForTimeout(300);
        assert.deepEqual(await findSerious(page), [], `${name}, ${colorScheme}`);
      }
    }
    await page.getByRole('tab', { name: 'Health' }).click();
    await page.getByText('ONNX Runtime').waitFor();
    assert.deepEqual(await findSerious(page), [], 'Health');
  });

  it('is worked with the keyboard alone', async () => {
    await page.goto(bench.url);
    await page.getByRole('heading', { name: 'Try a picture' }).waitFor();
    await page.keyboard.press('Tab');
    await page.getByRole('link', { name: 'Skip to the content' }).waitFor();
    const focused = (): Promise<string> => page.evaluate(() => document.activeElement?.textContent ?? '');
    for (let at = 0; at < 12 && (await focused()) !== 'Keys'; at += 1) await page.keyboard.press('Tab');
    assert.equal(await focused(), 'Keys');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
    for (let at = 0; at < 12 && (await focused()) !== 'Create a key'; at += 1)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('by keyboard');
    await page.keyboard.press('Enter');
    await page.getByText('it will not be shown again').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('cell', { name: 'by keyboard', exact: true }).waitFor();
  });

  it('shows a second account none of the first’s', async () => {
    const person = { account: 'globex', email: 'bob@globex.example', role: 'owner' } as const;
    const other = await openConsole(browser, { database: bench.database, url: bench.url }, person);
    await other.page.getByRole('link', { name: 'Checks' }).click();
    await other.page.getByText('No checks to show.').waitFor();
    await other.page.getByRole('link', { name: 'Keys' }).click();
    await other.page.getByText('No keys yet.').waitFor();
    assert.equal(await other.page.getByRole('link', { name: 'Operator' }).count(), 0);
    await other.context.close();
  });

  it('invites somebody, who sets a password and signs in; an expired invitation says so', async () => {
    await open('Members');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByLabel('Email').fill('cleo@acme.example');
    await page.getByRole('button', { name: 'Make the link' }).click();
    const link = await page.locator('.secret code').innerText();
    await page.getByRole('button', { name: 'Done' }).click();
    const guest = await browser.newContext();
    const seen = watchContext(guest, bench.url);
    const visit = await guest.newPage();
    await visit.goto(link);
    await visit.getByText('cleo@acme.example').waitFor();
    assert.doesNotMatch(visit.url(), /#/, 'the token leaves the address bar');
    assert.deepEqual(await findSerious(visit), []);
    await visit.getByLabel('Password').fill('correct horse battery staple');
    await visit.getByLabel('The same again').fill('correct horse battery staple');
    await visit.getByRole('button', { name: 'Join' }).click();
    await visit.getByRole('heading', { name: 'Try a picture' }).waitFor();
    await visit.locator('.menu summary').click();
    await visit.getByRole('button', { name: 'Sign out', exact: true }).click();
    await visit.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.deepEqual(await findSerious(visit), []);
    await visit.getByLabel('Email').fill('cleo@acme.example');
    await visit.getByLabel('Password').fill('correct horse battery staple');
    await visit.getByRole('button', { name: 'Sign in' }).click();
    await visit.getByRole('heading', { name: 'Try a picture' }).waitFor();
    assert.deepEqual([seen.errors, seen.strangers], [[], []]);
    const late = await makeLink(
      bench.database,
      bench.url,
      { ...ann, email: 'late@acme.example' },
      'invitation',
    );
    await bench.database.run((queries) => queries('links').update({ expires_at: Date.now() - 1 }));
    await visit.goto(late);
    await visit.getByText('has expired').waitFor();
    await guest.close();
  });

  it('asked no other host for anything, ran no script of a name, and met no error but the refusals', async () => {
    assert.deepEqual(watch.strangers, []);
    // The browser itself reports each refused picture.
    const unexpected = watch.errors.filter(
      (line) => !/status of 4(15|22).*\/console\/api\/(checks|preview)/.test(line),
    );
    assert.deepEqual(unexpected, []);
    await context.close();
  });
});
