// Takes docs/console/*.png: each page in light and dark, and some on a phone, of a service with made-up accounts.
// Run it after the set-up for tests: `node --import tsx console/screenshots.ts`.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import type { Page } from 'playwright-core';
import { createAccount } from '../src/accounts/accounts.js';
import { createKey } from '../src/accounts/keys.js';
import { loadConfig } from '../src/config.js';
import { openDatabase, type Database } from '../src/db/database.js';
import { startService } from '../src/service.js';
import { launchBrowser, makeLink, openConsole, type Person } from '../test/support/browser.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SAMPLES = [
  'portrait.png',
  'scene-signed-ai.jpg',
  'scene-quality-40.jpg',
  'portrait-autoencoded.png',
  'portrait-face-swapped.jpg',
];
const PHONE = { width: 390, height: 844 };
const OPERATOR: Person = { account: 'Harbour Press', email: 'ines@harbour.example', role: 'operator' };

const folder = mkdtempSync(join(tmpdir(), 'telltale-screenshots-'));
const config = loadConfig({
  TELLTALE_DATA_DIR: folder,
  TELLTALE_PORT: '0',
  TELLTALE_TRUST_DIR: join(ROOT, 'samples/trust'),
});
const service = await startService(config, { log: pino({ level: 'silent' }) });
const database = await openDatabase(config.database);
const browser = await launchBrowser();
try {
  await seed(database, service.url);
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, context } = await openConsole(browser, { database, url: service.url }, OPERATOR, {
      colorScheme,
    });
    const shoot = (name: string): Promise<Buffer> =>
      page.screenshot({ path: join(ROOT, `docs/console/${name}-${colorScheme}.png`) });
    await shoot('empty');
    await tryPictures(page);
    await shoot('try');
    await page.setViewportSize(PHONE);
    await page.evaluate(() => window.scrollTo(0, 0));
    await shoot('try-phone');
    await page.setViewportSize({ width: 1440, height: 900 });
    for (const name of ['Checks', 'Usage', 'Keys', 'Members', 'Operator']) {
      await page.getByRole('navigation').getByRole('link', { name }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await page.waitForTimeout(500);
      await shoot(name.toLowerCase());
    }
    await page.getByRole('tab', { name: 'Health' }).click();
    await page.getByText('Device', { exact: true }).first().waitFor();
    await shoot('health');
    await page.goto(`${service.url}/checks`);
    await page.getByRole('button', { name: 'AI detected', exact: true }).first().click();
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
  rmSync(folder, { recursive: true, force: true });
}

async function tryPictures(page: Page): Promise<void> {
  await page.getByText('Keep pictures').click();
  const files = SAMPLES.map((name) => join(ROOT, 'samples', name));
  await page.locator('input[type=file]').setInputFiles(files);
  await page.locator('.items .word:text("Not checked")').waitFor();
  await page.waitForFunction(
    (count) => document.querySelectorAll('.items .ai, .items .none, .items .refused').length === count,
    files.length,
  );
  await page.getByRole('button', { name: /portrait-face-swapped/ }).click();
  await page.locator('.frame img').waitFor();
  await page.waitForTimeout(400);
}

/** Accounts, keys and a month of use, with checks of today by a real key. */
async function seed(opened: Database, url: string): Promise<void> {
  await makeLink(opened, url, OPERATOR);
  const { key, accountId } = await createKey(opened, {
    account: OPERATOR.account,
    plan: 'growth',
    name: 'newsroom intake',
  });
  await createKey(opened, {
    account: OPERATOR.account,
    plan: 'growth',
    name: 'archive sweep',
    scopes: ['check'],
  });
  await createKey(opened, {
    account: OPERATOR.account,
    plan: 'growth',
    name: 'usage report',
    scopes: ['usage'],
    expiresAt: new Date(Date.now() + 40 * 86_400_000),
  });
  await createAccount(opened, 'Lantern Insurance', 'scale');
  await createAccount(opened, 'Bureau of Maps', 'starter');
  await makeLink(opened, url, { ...OPERATOR, email: 'tomas@harbour.example', role: 'member' }, 'invitation');
  for (const name of SAMPLES.slice(0, 2)) {
    const form = new FormData();
    form.append('file', new Blob([readFileSync(join(ROOT, 'samples', name))]), name);
    await fetch(`${url}/v1/check`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: form,
    });
  }
  const today = new Date();
  let total = 0;
  for (let day = 1; day < today.getUTCDate(); day += 1) {
    const date = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), day));
    const isWeekend = [0, 6].includes(date.getUTCDay());
    const checks = Math.round((isWeekend ? 240 : 900) + 180 * Math.sin(day * 1.7));
    total += checks;
    const row = { account_id: accountId, plan: 'growth', day: date.toISOString().slice(0, 10), checks };
    await opened.run((queries) => queries('usage_days').insert(row));
  }
  await opened.run((queries) =>
    queries('usage_periods').where({ account_id: accountId }).increment('checks', total),
  );
}
