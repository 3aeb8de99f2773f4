// Takes the screenshots docs/console/*.webp: each page in the light and the dark theme, some also on a phone.
// Uses a service with made-up accounts. Run it after the set-up for tests: `node --import tsx
// console/screenshots.ts`.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { loadConfig } from '../src/config.js';
import { openDatabase } from '../src/storage/db/database.js';
import { startService } from '../src/service/service.js';
import { launchBrowser, openConsole } from '../test/support/browser.js';
import { findPostgres, startPostgres } from '../test/support/postgres.js';
import { OPERATOR, seed } from './screenshot-seed.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SAMPLES = [
  'portrait.png',
  'scene-signed-ai.jpg',
  'portrait-too-small.png',
  'portrait-autoencoded.png',
  'portrait-face-swapped.jpg',
];
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

const bin = findPostgres();
assert.ok(bin !== null, 'PostgreSQL is missing: the set-up for tests installs it');
const postgres = await startPostgres(bin);
const folder = mkdtempSync(join(tmpdir(), 'telltale-screenshots-'));
const config = loadConfig({
  TELLTALE_DATA_DIR: folder,
  TELLTALE_PORT: '0',
  TELLTALE_DATABASE_URL: postgres.createDatabase(),
  TELLTALE_TRUST_DIR: join(ROOT, 'samples/trust'),
});
const service = await startService(config, { log: pino({ level: 'silent' }) });
const database = await openDatabase(config.database);
const browser = await launchBrowser();
try {
  const images = SAMPLES.slice(0, 2).map((name) => join(ROOT, 'samples', name));
  await seed(database, service.url, images);
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, context } = await openConsole(browser, { database, url: service.url }, OPERATOR, {
      colorScheme,
    });
    const shoot = async (name: string, shown: Page = page): Promise<void> => {
      const image = sharp(await shown.screenshot()).webp({ quality: 85, effort: 6 });
      await image.toFile(join(ROOT, `docs/console/${name}-${colorScheme}.webp`));
    };
    await shoot('empty');
    await tryImages(page);
    await shoot('try');
    const phone = await openConsole(browser, { database, url: service.url }, OPERATOR, {
      colorScheme,
      ...PHONE,
    });
    await tryImages(phone.page);
    await phone.page.evaluate(() => window.scrollTo(0, 0));
    await shoot('try-phone', phone.page);
    await phone.context.close();
    for (const name of ['Checks', 'Usage', 'API keys', 'Webhooks', 'Members', 'Operator']) {
      await page.getByRole('navigation').getByRole('link', { name }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await page.waitForTimeout(500);
      await shoot(name.toLowerCase().replace('api ', ''));
    }
    await page.getByRole('tab', { name: 'Health' }).click();
    await page.getByText('Device', { exact: true }).first().waitFor();
    await shoot('health');
    await page.goto(`${service.url}/checks`);
    const detected = page.getByText('AI detected', { exact: true });
    await page.locator('.history a').filter({ has: detected }).first().click();
    await page.getByRole('dialog').waitFor();
    await page.waitForTimeout(200);
    await shoot('check');
    await context.clearCookies();
    await page.goto(`${service.url}/sign-in`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await shoot('sign-in');
    await context.close();
  }
} finally {
  await browser.close();
  await service.stop();
  await database.close();
  postgres.close();
  rmSync(folder, { recursive: true, force: true });
}

async function tryImages(page: Page): Promise<void> {
  await page.getByText('Keep images').click();
  const files = SAMPLES.map((name) => join(ROOT, 'samples', name));
  await page.locator('input[type=file][multiple]').setInputFiles(files);
  await page.locator('.items .word:text("Not checked")').waitFor();
  await page.waitForFunction(
    (count) => document.querySelectorAll('.items .ai, .items .none, .items .refused').length === count,
    files.length,
  );
  await page.getByRole('button', { name: /portrait-face-swapped/ }).click();
  await page.locator('.frame img').waitFor();
  await page.waitForTimeout(400);
}
