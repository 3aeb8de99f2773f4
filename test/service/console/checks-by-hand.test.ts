// Tests checks on the console's Try page, with a real browser.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { CheckResult } from '../../../src/library/check/result-schema.js';
import { findSerious, findSeriousOn, openPage, settle, type Watch } from '../../support/browser.js';
import { tEXt, withChunks } from '../../support/declared-images.js';
import { fixture, ROOT } from '../../support/telltale.js';
import { HOSTILE, openVisit, type Visit } from '../../support/visit.js';

const sample = (name: string): string => join(ROOT, 'samples', name);

describe('checks on the console’s Try page in a browser', function () {
  this.timeout(600_000);
  let visit: Visit | undefined;
  let images: Server;
  let page: Page;
  let watch: Watch;

  before(async () => {
    images = createServer((_request, response) => response.end(readFileSync(sample('portrait.png'))));
    await new Promise<void>((resolve) => images.listen(0, '127.0.0.1', resolve));
    visit = await openVisit();
    ({ page, watch } = visit);
  });
  after(async () => {
    images.close();
    await visit?.close();
  });

  const heading = (name: string) => page.locator('.verdict').getByRole('heading', { name });
  const choose = (...paths: string[]) => page.locator('input[type=file]').setInputFiles(paths);
  const readUsed = async (): Promise<number> => {
    await openPage(page, 'Usage');
    const text = await page.getByTestId('used').innerText();
    return Number(text.replaceAll(/\D/g, ''));
  };

  it('show the verdict, outlines, heat map and file metadata of a dropped image', async () => {
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
    // The file's metadata mentions AI, so the image needs a closer look although no detector flags it.
    await heading('Unclear').waitFor();
    await page.getByText('Unsigned data in the file declares AI').waitFor();
    await page.locator('.verdict').getByText('Next:').waitFor();
    await page.locator('.items').getByText('Unclear').waitFor();
    await page
      .locator('.verdict')
      .getByText(/the profile balanced does not flag the image/)
      .waitFor();
    assert.equal(await page.getByText('Of 100 images with this result').count(), 0, 'no score decided');
    await page.getByText(/^Of [\d,]+ genuine photographs .* scored? as high/).waitFor();
    assert.doesNotMatch(await page.locator('.detectors').innerText(), /\d\.\d{3}/);
    const said = page.getByRole('region', { name: 'Marks in the file and the image' });
    assert.match(await said.innerText(), /Generation parameters\s+AI, generated with Stable Diffusion/);
    assert.ok((await said.innerText()).includes(HOSTILE));
    assert.equal(await page.locator('.outlines .face').count(), 1);
    assert.match(
      (await page.locator('.outlines .face').getAttribute('title')) ?? '',
      /^swapped or edited 0\.\d{4}, generated 0\.\d{4}$/,
    );
    const box = await page.locator('.outlines .face').boundingBox();
    const frame = await page.locator('.frame').boundingBox();
    // The face in the sample image starts at pixel 178 from the left and 57 from the top, of 512.
    assert.ok(box && frame && Math.abs((box.x - frame.x) / frame.width - 178 / 512) < 0.01);
    assert.ok(Math.abs((box.y - frame.y) / frame.height - 57 / 512) < 0.01);
    await page.locator('.legend').waitFor();
    await page.getByLabel('1 face').uncheck();
    assert.equal(await page.locator('.outlines li').count(), 0);
    await page.getByText('For developers').click();
    await page.getByRole('tab', { name: 'curl' }).click();
    assert.match(
      await page.locator('.code pre').innerText(),
      /curl -H "Authorization: Bearer \$TELLTALE_KEY"/,
    );
    await page.getByRole('tab', { name: 'JSON' }).click();
    assert.match(await page.locator('.code pre').innerText(), /"is_ai": false/);
  });

  it('show a heat map on the same scale for all images, and only if the image as a whole is flagged', async () => {
    const checked = page.waitForResponse(/\/console\/api\/checks/);
    await choose(sample('portrait.png'));
    const result = (await (await checked).json()) as CheckResult;
    assert.equal(result.details?.heatmap?.patches.length, 400);
    /** Shows the portrait with a heat map whose left and right halves have the given scores. */
    const paint = async (left: number, right: number, fired = ['full_image_specialist']): Promise<void> => {
      const patches = result.details?.heatmap?.patches.map(({ box }) => ({
        box,
        score: box[0] + box[2] <= 256 ? left : right,
      }));
      await page.route('**/console/api/checks*', (route) =>
        route.fulfill({ json: { ...result, fired, details: { ...result.details, heatmap: { patches } } } }),
      );
      await choose(sample('portrait.png'));
    };
    await page.getByText('no heat map: the image as a whole is not flagged').waitFor();
    await paint(0.5, 0.01);
    await page.getByText('nothing stands out').waitFor();
    assert.equal(await page.locator('canvas.heat').count(), 0);
    await page.unroute('**/console/api/checks*');
    await paint(1, 0.05);
    await page.getByText('0.60 1.00').waitFor();
    await page.unroute('**/console/api/checks*');
    // The page paints the canvas only after it was drawn.
    await settle(page);
    const alphas = await page.locator('canvas.heat').evaluate((canvas: HTMLCanvasElement) => {
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
      return [...data].filter((_, at) => at % 4 === 3);
    });
    assert.equal(alphas.length, 400);
    assert.ok(alphas.filter((_, at) => at % 20 < 9).every((alpha) => alpha > 180));
    assert.ok(alphas.filter((_, at) => at % 20 > 10).every((alpha) => alpha === 0));
    assert.equal(await page.getByText('nothing stands out').count(), 0);
  });

  it('show flagged faces enlarged, and no other faces', async () => {
    const checked = page.waitForResponse(/\/console\/api\/checks/);
    await choose(sample('portrait.png'));
    const result = (await (await checked).json()) as CheckResult;
    await page.getByText('1 face').waitFor();
    assert.equal(await page.locator('.flagged-faces').count(), 0);
    const faces = result.details?.faces?.map((face) => ({ ...face, score: 0.9999 }));
    await page.route('**/console/api/checks*', (route) =>
      route.fulfill({
        json: { ...result, fired: ['face_specialist'], details: { ...result.details, faces } },
      }),
    );
    await choose(sample('portrait.png'));
    const face = page.getByRole('img', { name: 'The flagged face' });
    await face.waitFor();
    await page.unroute('**/console/api/checks*');
    await page.getByText(/^Flagged face, .* above its threshold$/).waitFor();
    // The window shows the part around the face, which starts at pixel 178, 57 of 512 and has 91 × 119 px.
    const [shown, frame] = await Promise.all([face.boundingBox(), face.locator('..').boundingBox()]);
    const scale = shown!.width / 512;
    assert.ok(Math.abs((frame!.x + frame!.width / 2 - shown!.x) / scale - (178 + 91 / 2)) < 4);
    assert.ok(Math.abs((frame!.y + frame!.height / 2 - shown!.y) / scale - (57 + 119 / 2)) < 34);
    assert.ok(Math.abs(shown!.width - shown!.height) < 2, 'the image keeps its shape');
    assert.deepEqual(await findSerious(page), []);
  });

  it('show the verdict of another profile without running another check', async () => {
    const used = await readUsed();
    await openPage(page, 'Try');
    const threshold = (): Promise<string> => page.locator('.numbers .figures').first().innerText();
    await page.getByText('For developers').click();
    const balanced = await threshold();
    assert.match(balanced, /^0\.\d{4} [<≥] 0\.\d{4} \(balanced\)$/);
    await page.locator('.profiles').getByText('strict').click();
    await page.getByText('Judged again by strict').waitFor();
    assert.notEqual(await threshold(), balanced);
    await page.locator('.profiles').getByText('balanced').click();
    assert.equal(await threshold(), balanced);
    assert.equal(await readUsed(), used);
  });

  it('accept a pasted image and an image address', async () => {
    await openPage(page, 'Try');
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
    await page.getByText('no face of 64 px or more in a photograph', { exact: true }).waitFor();
    const { port } = images.address() as AddressInfo;
    await page.getByLabel('Address of an image').fill(`http://127.0.0.1:${port}/one.png`);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.locator('.items button', { hasText: '/one.png' }).getByText('No AI detected').waitFor();
    await page.locator('.frame img').waitFor();
  });

  it('explain why an image is refused and list the accepted formats', async () => {
    await choose(sample('portrait-too-small.png'));
    await heading('Not checked').waitFor();
    await page.getByText('The shorter side must have at least 256 px').waitFor();
    await page.getByText('Nothing was charged.').waitFor();
    await page.getByRole('heading', { name: 'What is accepted' }).waitFor();
  });

  it('show a TIFF image, and a verdict decided by Content Credentials', async () => {
    await choose(fixture('tiff/scene.tif'), sample('scene-signed-ai.jpg'));
    await page.locator('.items button', { hasText: 'scene-signed-ai.jpg' }).getByText('AI detected').click();
    await page.getByText('They count, because the signer is trusted').waitFor();
    await page.getByText('not run: Content Credentials decided').first().waitFor();
    await page.locator('.items button', { hasText: 'scene.tif' }).click();
    await page.locator('.verdict h2', { hasText: 'AI detected' }).waitFor();
    await page.waitForFunction(
      () => (document.querySelector<HTMLImageElement>('.frame img')?.naturalWidth ?? 0) > 0,
    );
  });

  it('are counted exactly once each', async () => {
    const before = await readUsed();
    await openPage(page, 'Try');
    await choose(sample('portrait.png'), sample('scene.jpg'), sample('portrait-too-small.png'));
    await page.waitForFunction(() => {
      const words = [...document.querySelectorAll('.items .word')].map((word) => word.textContent);
      return words.every((word) => /detected|Not checked|Unclear/.test(word));
    });
    assert.equal(await readUsed(), before + 2);
    const chart = page.getByRole('img', { name: /^Checks per day/ });
    const legend = chart.locator('.u-legend');
    await legend.waitFor({ state: 'hidden' });
    await chart.locator('.u-over').hover();
    await legend.waitFor({ state: 'visible' });
    await page.getByRole('button', { name: 'Table' }).first().click();
    await page.getByRole('columnheader', { name: 'Day (UTC)' }).waitFor();
  });

  it('can be reported as wrong, and the report is listed', async () => {
    await openPage(page, 'Try');
    await page.getByLabel('Keep images').check();
    await choose(sample('scene.jpg'));
    await heading('No AI detected').waitFor();
    await page.getByRole('button', { name: 'Report a wrong verdict' }).click();
    assert.equal(
      await page.getByRole('dialog').getByLabel('Genuine').count(),
      0,
      'the verdict says so itself',
    );
    await page.getByLabel('Face-swapped').check();
    await page.getByLabel('A word about it').fill('the jaw is off');
    await page.getByRole('dialog').getByRole('button', { name: 'Report' }).click();
    await page.getByRole('button', { name: 'Reported, thank you' }).waitFor();
    await openPage(page, 'Checks');
    await page.getByLabel('Result').selectOption('Reported as wrong');
    await page.locator('.history li').getByText('reported', { exact: true }).waitFor();
    // The unfiltered list, which may still be shown, contains this row, too.
    await page.waitForFunction(() => document.querySelectorAll('.history li').length === 1);
    await page.locator('.history li a').click();
    await page.getByText('“the jaw is off”').waitFor();
    await page.waitForFunction(
      () => (document.querySelector<HTMLImageElement>('dialog .frame img')?.naturalWidth ?? 0) > 0,
    );
    await page.keyboard.press('Escape');
  });

  it('passes the axe accessibility check in light and dark mode', async () => {
    assert.deepEqual(await findSeriousOn(page, ['Try', 'Usage']), []);
  });

  it('contact no other host, run no injected script and log only the expected errors', () => {
    assert.deepEqual(watch.foreignRequests, []);
    // The browser logs each refused image.
    const unexpected = watch.errors.filter(
      (line) => !/status of 4(15|22).*\/console\/api\/(checks|preview)/.test(line),
    );
    assert.deepEqual(unexpected, []);
  });
});
