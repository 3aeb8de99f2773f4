// Measures the time until the console appears in a browser with an empty cache: `node --import tsx
// bench/first-paint.ts`, after the set-up for tests. Prints the first contentful paint (W3C Paint Timing) and the
// number of bytes sent.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Page } from 'playwright-core';
import { loadConfig } from '../src/config.js';
import { openDatabase } from '../src/storage/db/database.js';
import { startService } from '../src/service/service.js';
import { launchBrowser, makeLink, type Person } from '../test/support/browser.js';
import { describeMachine } from './machine/machine.js';
import { summarize } from './statistics.js';

const ROUNDS = 15;
const PERSON: Person = { account: 'bench', email: 'bench@bench.example', role: 'operator' };
const PAGES = ['/sign-in', '/', '/checks', '/operator'];

interface Painted {
  readonly paintMs: number;
  readonly sentKb: number;
}

const folder = mkdtempSync(join(tmpdir(), 'telltale-paint-'));
const config = loadConfig({ TELLTALE_DATA_DIR: folder, TELLTALE_PORT: '0' });
const service = await startService(config, { log: pino({ level: 'silent' }) });
const database = await openDatabase(config.database);
const browser = await launchBrowser();
try {
  const { cores, processor, loadBefore } = describeMachine();
  console.log(`${cores} cores of an ${processor}, load before ${loadBefore[0]?.toFixed(1)}\n`);
  console.log(`| page | first paint ms, median of ${ROUNDS} | slowest | kB sent |\n|---|---|---|---|`);
  for (const path of PAGES) {
    const painted: Painted[] = [];
    for (let round = 0; round < ROUNDS; round += 1) painted.push(await paint(path));
    const { p50, max } = summarize(painted.map(({ paintMs }) => paintMs));
    console.log(
      `| \`${path}\` | ${p50.toFixed(0)} | ${max.toFixed(0)} | ${painted.at(-1)?.sentKb.toFixed(0)} |`,
    );
  }
} finally {
  await browser.close();
  await service.stop();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Opens the page at `path` in a new browser context. Signs in first, except for the sign-in page. */
async function paint(path: string): Promise<Painted> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  try {
    const page = await context.newPage();
    if (path !== '/sign-in') {
      await page.goto(await makeLink(database, service.url, PERSON));
      await page.getByRole('heading', { name: 'Try an image' }).waitFor();
    }
    const devtools = await context.newCDPSession(page);
    await devtools.send('Network.enable');
    await devtools.send('Network.clearBrowserCache');
    await page.goto(`${service.url}${path}`);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    return await readPaint(page);
  } finally {
    await context.close();
  }
}

function readPaint(page: Page): Promise<Painted> {
  return page.evaluate(() => {
    const [paint] = performance.getEntriesByName('first-contentful-paint');
    const sent = [
      ...performance.getEntriesByType('navigation'),
      ...performance.getEntriesByType('resource'),
    ] as PerformanceResourceTiming[];
    return {
      paintMs: paint?.startTime ?? Number.NaN,
      sentKb: sent.reduce((sum, { transferSize }) => sum + transferSize, 0) / 1000,
    };
  });
}
