// Tests the image viewer, with a real browser: zoom and pan, labelled outlines, heat map next to the
// original, and stored images.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CDPSession, Page, Route } from 'playwright-core';
import sharp from 'sharp';
import { drag, WHOLE, zoom, type Room } from '../../../console/src/zoom/view.js';
import type { CheckResult } from '../../../src/library/check/result-schema.js';
import { findSerious, openPage, settle } from '../../support/browser.js';
import { fixture, ROOT } from '../../support/telltale.js';
import { openVisit, type Visit } from '../../support/visit.js';

const PORTRAIT = join(ROOT, 'samples/portrait.png');

describe('zooming in the image viewer', () => {
  const room: Room = { pane: { width: 600, height: 300 }, whole: { width: 300, height: 300 } };

  it('keeps the point under the pointer in place, and never shrinks the image below full view', () => {
    // The point 100 px right of the centre is at five sixths of the width of the image.
    const twice = zoom(WHOLE, room, 2, { x: 100, y: 0 });
    assert.equal(twice.scale, 2);
    // At scale 2 the image fills the width of the viewer and stays centred.
    assert.equal(twice.x, 0.5);
    const more = zoom(WHOLE, room, 4, { x: 100, y: 50 });
    const under = (middle: number, place: number): number => middle + place / (more.scale * 300);
    assert.ok(Math.abs(under(more.x, 100) - (0.5 + 100 / 300)) < 0.1);
    assert.ok(Math.abs(under(more.y, 50) - (0.5 + 50 / 300)) < 1e-9);
    assert.deepEqual(zoom(more, room, 0.01, { x: 0, y: 0 }), WHOLE);
    assert.ok(zoom(WHOLE, room, 1e9, { x: 0, y: 0 }).scale <= 16);
  });

  it('allows dragging up to the edges of the image', () => {
    const near = zoom(WHOLE, room, 4, { x: 0, y: 0 });
    assert.ok(Math.abs(drag(near, room, { x: -120, y: 0 }).x - 0.6) < 1e-9);
    assert.equal(drag(near, room, { x: -9999, y: 9999 }).x, 0.75);
    assert.equal(drag(near, room, { x: -9999, y: 9999 }).y, 0.125);
    assert.deepEqual(drag(WHOLE, room, { x: 50, y: 50 }), WHOLE);
  });
});

describe('the image viewer in a browser', function () {
  this.timeout(600_000);
  let visit: Visit;
  let page: Page;
  let result: CheckResult;

  before(async () => {
    visit = await openVisit();
    ({ page } = visit);
    page.setDefaultTimeout(30_000);
    const checked = page.waitForResponse(/\/console\/api\/checks/);
    await page.locator('input[type=file]').first().setInputFiles(PORTRAIT);
    result = (await (await checked).json()) as CheckResult;
    await page.locator('.tools').waitFor();
  });
  after(() => visit.close());

  /** Returns the result's heat map with this score in one cell and a low score in all others. */
  const patchesOf = (score: number) =>
    result.details?.heatmap?.patches.map(({ box }, at) => ({ box, score: at === 7 ? score : 0.1 }));
  const panes = () => page.locator('.panes');
  const width = async (): Promise<number> => (await page.locator('.frame').last().boundingBox())!.width;
  /** Waits until the image is the given number of times as wide as at first. */
  const widens = (times: number, from: number) =>
    page.waitForFunction(
      ([wanted, frame]) => {
        const shown = [...document.querySelectorAll('.frame')].at(-1)!.getBoundingClientRect().width;
        return Math.abs(shown / (frame! * wanted!) - 1) < 0.02;
      },
      [times, from],
    );
  /** Returns which position in the image is at this point of the window, as shares of the image's sides. */
  const pointAt = async (x: number, y: number): Promise<[number, number]> => {
    const frame = (await page.locator('.frame').last().boundingBox())!;
    return [(x - frame.x) / frame.width, (y - frame.y) / frame.height];
  };
  /** Shows the portrait with these details instead of the engine's. */
  const show = async (details: object, changes: object = {}): Promise<void> => {
    await page.route(
      '**/console/api/checks?*',
      (route) =>
        route.fulfill({ json: { ...result, ...changes, details: { ...result.details, ...details } } }),
      { times: 1 },
    );
    const answered = page.waitForResponse(/\/console\/api\/checks/);
    await page.locator('input[type=file]').first().setInputFiles(PORTRAIT);
    await answered;
    await page.locator('.tools').waitFor();
  };

  it('zooms by wheel and keys and moves by mouse and arrow keys, while outlines stay in place', async () => {
    const first = await width();
    const pane = (await panes().boundingBox())!;
    const [x, y] = [pane.x + pane.width / 2 + 60, pane.y + pane.height / 2 - 90];
    const under = await pointAt(x, y);
    await page.mouse.move(x, y);
    await page.mouse.wheel(0, -600);
    await widens(4, first);
    const now = await pointAt(x, y);
    assert.ok(Math.abs(now[1] - under[1]) < 0.01, 'the point under the mouse stays');
    await page.mouse.down();
    await page.mouse.move(x - 40, y - 30, { steps: 3 });
    await page.mouse.up();
    const moved = await pointAt(x, y);
    assert.ok(Math.abs(moved[0] - now[0] - 40 / (4 * first)) < 0.01, 'the image follows the hand');
    assert.ok(await panes().evaluate((element) => element === document.activeElement));
    await page.keyboard.press('ArrowRight');
    const stepped = await pointAt(x, y);
    assert.ok(stepped[0] > moved[0] + 0.01, 'the arrow shows what is further right');
    const [face, frame] = [
      (await page.locator('.outlines .face').boundingBox())!,
      (await page.locator('.frame').boundingBox())!,
    ];
    assert.ok(Math.abs((face.x - frame.x) / frame.width - 178 / 512) < 0.01);
    await page.keyboard.press('0');
    await widens(1, first);
    await page.keyboard.press('+');
    await page.keyboard.press('+');
    await widens(2, first);
    await page.keyboard.press('-');
    await widens(Math.SQRT2, first);
    await page.getByRole('button', { name: 'Whole' }).click();
    await widens(1, first);
    await page.getByRole('button', { name: 'Larger' }).click();
    await widens(Math.SQRT2, first);
    await page.getByRole('button', { name: 'Smaller' }).click();
    await widens(1, first);
    assert.equal(await page.getByRole('button', { name: 'Smaller' }).count(), 0);
  });

  it('lets the wheel scroll the page if the pointer is outside the image', async () => {
    await page.setViewportSize({ width: 1440, height: 500 });
    await page.locator('h1').evaluate(() => (document.activeElement as HTMLElement).blur());
    const first = await width();
    const pane = (await panes().boundingBox())!;
    await page.mouse.move(pane.x + pane.width / 2, pane.y + 100);
    await page.mouse.wheel(0, 200);
    await page.waitForFunction(() => window.scrollY > 0);
    await page.mouse.wheel(0, -200);
    await page.waitForFunction(() => window.scrollY === 0);
    assert.equal(await width(), first);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('zooms with two fingers and moves with one finger', async () => {
    const first = await width();
    const pane = (await panes().boundingBox())!;
    const middle = { x: pane.x + pane.width / 2, y: pane.y + pane.height / 2 };
    const devtools: CDPSession = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...points: (readonly [number, number])[]) =>
      devtools.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: points.map(([x, y], id) => ({ x: middle.x + x, y: middle.y + y, id })),
      });
    await touch('touchStart', [-30, 0], [30, 0]);
    await touch('touchMove', [-60, 0], [60, 0]);
    await touch('touchMove', [-90, 0], [90, 0]);
    await touch('touchEnd');
    await widens(3, first);
    const before = await pointAt(middle.x, middle.y);
    await touch('touchStart', [0, 0]);
    await touch('touchMove', [0, -50]);
    await touch('touchEnd');
    const after = await pointAt(middle.x, middle.y);
    assert.ok(Math.abs(after[1] - before[1] - 50 / (await width())) < 0.01);
    await page.keyboard.press('0');
    await widens(1, first);
  });

  it('draws labelled outlines for a suspicious region, embedded images, visible signs and faces', async () => {
    assert.equal(await page.locator('.outlines .part').count(), 0, 'no warning names it');
    assert.match(await page.locator('.outlines .face').innerText(), /^face: (far|clearly|just) below/);
    const peak = { box: [128, 256, 110, 110], score: 0.95 };
    const warnings = [{ code: 'part_generated', message: 'the part in the lower left looks generated' }];
    const panels = [0, 260].map((x) => ({ box: [x, 0, 252, 512], score: x === 0 ? 0.2 : 0.1 }));
    const marks = [
      {
        kind: 'visible',
        generator: 'Dreamer',
        says: 'generated',
        where: 'pixels',
        value: 'star',
        box: [460, 460, 40, 40],
      },
    ];
    await show(
      { heatmap: { ...result.details?.heatmap, patches: patchesOf(0.9), peak, panels }, warnings, marks },
      { fired: ['full_image_specialist'], scores: { ...result.scores, full_image_specialist: 0.2 } },
    );
    await page.getByText('this region looks generated').waitFor();
    assert.deepEqual(await page.locator('.outlines .within').allInnerTexts(), [
      'embedded image 1 of 2: its score counts\n: judged by itself: 0.2000',
      'embedded image 2 of 2\n: judged by itself: 0.1000',
    ]);
    await page.getByText('sign of Dreamer').waitFor();
    await page.getByText('Outlines: 1 face, 2 embedded images, 1 region, 1 sign').waitFor();
    const place = async (kind: string) => {
      const [box, frame] = [
        (await page.locator(`.outlines .${kind}`).last().boundingBox())!,
        (await page.locator('.frame').boundingBox())!,
      ];
      return [(box.x - frame.x) / frame.width, box.height / frame.height];
    };
    const near = (found: number[], wanted: number[]) =>
      assert.ok(
        found.every((value, at) => Math.abs(value - wanted[at]! / 512) < 0.02),
        String(found),
      );
    near(await place('part'), [128, 110]);
    near(await place('within'), [260, 512]);
    near(await place('sign'), [460, 40]);
    // No label is cut off at the edge of the image.
    for (const label of await page.locator('.outlines li > span').all()) {
      const [text, pane] = [(await label.boundingBox())!, (await page.locator('.pane').boundingBox())!];
      assert.ok(text.x >= pane.x && text.x + text.width <= pane.x + pane.width, await label.innerText());
      assert.ok(text.y >= pane.y && text.y + text.height <= pane.y + pane.height, await label.innerText());
    }
    await page.keyboard.press('o');
    await page.locator('.outlines').waitFor({ state: 'detached' });
    await page.keyboard.press('o');
    await page.locator('.outlines').waitFor();
  });

  it('shows or hides the heat map with one key, next to the original at the same zoom and position', async () => {
    await page.keyboard.press('h');
    await page.locator('canvas.heat').waitFor({ state: 'detached' });
    await page.keyboard.press('h');
    await page.locator('canvas.heat').waitFor();
    await page.keyboard.press('b');
    await page.locator('.pane').nth(1).waitFor();
    assert.equal(await page.locator('.pane').first().locator('canvas, .outlines').count(), 0);
    assert.equal(await page.locator('.pane').last().locator('canvas, .outlines').count(), 2);
    const first = await width();
    await page.keyboard.press('+');
    await page.keyboard.press('+');
    await widens(2, first);
    const [left, right] = [
      (await page.locator('.frame').first().boundingBox())!,
      (await page.locator('.frame').last().boundingBox())!,
    ];
    assert.ok(Math.abs(left.width - right.width) < 1 && Math.abs(left.y - right.y) < 1);
    assert.deepEqual(await findSerious(page), []);
    await page.keyboard.press('?');
    await page
      .getByRole('dialog', { name: 'Keyboard shortcuts' })
      .getByText('the original next to the map')
      .waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('b');
    await page.waitForFunction(() => document.querySelectorAll('.pane').length === 1);
  });

  it('reserves the shape of the image while waiting for the response', async () => {
    const held = new Promise<Route>((resolve) => {
      void page.route('**/console/api/checks?*', resolve, { times: 1 });
    });
    await page.locator('input[type=file]').first().setInputFiles(join(ROOT, 'samples/scene.jpg'));
    const { width: wide, height: high } = await sharp(join(ROOT, 'samples/scene.jpg')).metadata();
    // The page learns the shape when the image is loaded.
    await page.waitForFunction((ratio) => {
      const shown = document.querySelector('.frame img[alt="scene.jpg"]')?.getBoundingClientRect();
      return shown !== undefined && Math.abs(shown.width / shown.height / ratio - 1) < 0.02;
    }, wide / high);
    // Ends the check, so that no later test takes its response for another image's.
    await (await held).fulfill({ json: result });
    await page.locator('.tools').waitFor();
  });

  it('says that nothing stands out if the heat map is empty, and explains a missing heat map', async () => {
    const heatmap = (score: number) => ({ ...result.details?.heatmap, patches: patchesOf(score) });
    const flagged = { fired: ['full_image_specialist'] } as const;
    await show({ heatmap: heatmap(0.5) }, flagged);
    await page.getByText('nothing stands out').waitFor();
    assert.equal(await page.locator('canvas.heat').count(), 0);
    await show({ heatmap: heatmap(0.98) }, flagged);
    await page.getByText(/^0\.60\s+1\.00/).waitFor();
    // The page paints the canvas only after it was drawn.
    await settle(page);
    const strongest = await page.locator('canvas.heat').evaluate((canvas: HTMLCanvasElement) =>
      Math.max(
        ...canvas
          .getContext('2d')!
          .getImageData(0, 0, canvas.width, canvas.height)
          .data.filter((_value, at) => at % 4 === 3),
      ),
    );
    assert.ok(strongest > 200, `${strongest} of 255`);
    await show({ heatmap: heatmap(0.98) });
    await page.getByText('no heat map: the image as a whole is not flagged').waitFor();
    await page.locator('input[type=file]').first().setInputFiles(join(ROOT, 'samples/scene-signed-ai.jpg'));
    await page.getByText('no heat map: no detector was run').waitFor();
  });

  it('shows and zooms a stored image of the history, even in formats that browsers cannot show', async () => {
    const tall = await sharp(readFileSync(fixture('tiff/scene.tif'))).metadata();
    await page.getByLabel('Keep images').check();
    await page.locator('input[type=file]').first().setInputFiles(fixture('tiff/scene.tif'));
    await page.getByText('kept for 30 days').waitFor();
    await openPage(page, 'Checks');
    await page.locator('.history li a', { hasText: 'scene.tif' }).click();
    const dialog = page.getByRole('dialog', { name: 'scene.tif' });
    const image = dialog.locator('.frame img');
    await page.waitForFunction(
      (wanted) => document.querySelector<HTMLImageElement>('.frame img')?.naturalWidth === wanted,
      tall.width,
    );
    await dialog.getByText('Computed again from the stored image.').waitFor();
    const [pane, frame] = [(await dialog.locator('.pane').boundingBox())!, (await image.boundingBox())!];
    assert.ok(Math.max(frame.width / pane.width, frame.height / pane.height) > 0.99, 'it fills its room');
    assert.ok(Math.abs(frame.width / frame.height / (tall.width / tall.height) - 1) < 0.02);
    assert.deepEqual(await findSerious(page), []);
    await page.keyboard.press('+');
    await page.keyboard.press('+');
    await widens(2, frame.width);
    await page.keyboard.press('Escape');
  });

  it('logs no error and contacts no other host', () => {
    assert.deepEqual(
      [visit.watch.errors.filter((line) => !/preview/.test(line)), visit.watch.foreignRequests],
      [[], []],
    );
  });
});
