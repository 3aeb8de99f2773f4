// Opens a running service in a real browser (Debian's Chromium), and signs people in.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core';
import { ensureAccount } from '../../src/accounts/accounts.js';
import type { Database } from '../../src/storage/db/database.js';
import { createLink, type Purpose } from '../../src/accounts/members/links.js';
import type { Role } from '../../src/accounts/members/members.js';

const CHROMIUM = '/usr/bin/chromium';
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Starts the browser. As root it runs without a sandbox, which would need a user namespace. */
export function launchBrowser(): Promise<Browser> {
  assert.ok(existsSync(CHROMIUM), 'Chromium is missing: the set-up for tests installs it');
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: CHROMIUM, args: [...args, '--disable-dev-shm-usage'] });
}

/** A person who belongs to an account. */
export interface Person {
  readonly account: string;
  readonly email: string;
  readonly role: Role;
  /** Plan of the account if it has none yet. Default: growth. */
  readonly plan?: string;
}

/** Returns the URL of a new one-time link for a person, and creates the account if it does not exist. */
export async function makeLink(
  database: Database,
  url: string,
  person: Person,
  purpose: Purpose = 'sign_in',
): Promise<string> {
  const { account, email, role, plan = 'growth' } = person;
  const { id: accountId } = await ensureAccount(database, account);
  await database.run((queries) =>
    queries('accounts').where({ id: accountId }).whereNull('plan').update({ plan }),
  );
  const { token } = await createLink(database, { purpose, accountId, email, role, by: 'operator' });
  return `${url}/invitation#${token}`;
}

/** Unexpected events in the pages of a browser context. */
export interface Watch {
  /** Console messages of level error, and uncaught errors. */
  readonly errors: string[];
  /** Addresses of other hosts that a page requested. */
  readonly foreignRequests: string[];
}

/** Opens a new browser window with the Try page, signed in by a link. */
export async function openConsole(
  browser: Browser,
  { database, url }: { readonly database: Database; readonly url: string },
  person: Person,
  options: BrowserContextOptions = {},
): Promise<{ readonly context: BrowserContext; readonly page: Page; readonly watch: Watch }> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  // Long time limit, because the real engine checks the images even on slow machines.
  context.setDefaultTimeout(90_000);
  const watch = watchContext(context, url);
  const page = await context.newPage();
  await page.goto(await makeLink(database, url, person));
  await page.getByRole('heading', { name: 'Try an image' }).waitFor();
  return { context, page, watch };
}

/** Records errors and requests to other hosts from now on. */
export function watchContext(context: BrowserContext, url: string): Watch {
  const watch: Watch = { errors: [], foreignRequests: [] };
  context.on('console', (message) => {
    if (message.type() === 'error') watch.errors.push(`${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (error) => watch.errors.push(String(error.error())));
  context.on('request', (request) => {
    if (!/^(blob|data):/.test(request.url()) && !request.url().startsWith(`${url}/`))
      watch.foreignRequests.push(request.url());
  });
  return watch;
}

/** Opens another page of the console by its name in the navigation. */
export async function openPage(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

/** Counts the A4 sheets that the printed page needs. */
export async function countSheets(page: Page): Promise<number> {
  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
  assert.match(pdf, /\/MediaBox \[0 0 59[45](\.\d+)? 84[12](\.\d+)?\]/, 'A4');
  return pdf.match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0;
}

/** Rules that axe rates only as moderate. They matter to people who navigate by headings and regions. */
const STRUCTURE = ['heading-order', 'landmark-unique'];

/**
 * Waits until the page is drawn, its effects have run and animations have ended. Ignores elements that are
 * not drawn, as in a closed menu.
 */
export async function settle(page: Page): Promise<void> {
  // Preact runs effects in a timer that it sets in the next frame. The timer here is set in the frame after.
  await page.evaluate(`new Promise((resolve) =>
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))),
  ).then(() =>
    Promise.allSettled(
      document.getAnimations().filter(({ effect }) => effect.target.checkVisibility()).map(({ finished }) => finished),
    ),
  )`);
}

/**
 * Returns the axe violations that are serious, critical or about page structure, of the current page or of the part
 * that a selector names.
 */
export async function findSerious(page: Page, options: RunOptions = {}, part = 'html'): Promise<string[]> {
  // An element has its final contrast only after its animation.
  await settle(page);
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(AXE);
  const results = await page.evaluate<AxeResults>(
    `axe.run(${JSON.stringify(part)}, ${JSON.stringify({ resultTypes: ['violations'], ...options })})`,
  );
  return results.violations
    .filter(({ id, impact }) => impact === 'serious' || impact === 'critical' || STRUCTURE.includes(id))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

/**
 * Runs findSerious on each of the pages `names` in each colour scheme. In dark mode only contrasts are
 * checked, because nothing else differs. Afterwards the page is light.
 */
export async function findSeriousOn(
  page: Page,
  names: readonly string[],
  schemes: readonly ('light' | 'dark')[] = ['light', 'dark'],
): Promise<string[]> {
  const found: string[] = [];
  for (const name of names) {
    await openPage(page, name);
    await page.waitForTimeout(300);
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      const options = colorScheme === 'dark' ? { runOnly: ['color-contrast'] } : {};
      found.push(...(await findSerious(page, options)).map((fault) => `${name}, ${colorScheme}: ${fault}`));
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}

/**
 * Runs `act` in each layout: light and dark on a desktop, and on a phone. Afterwards the window has desktop
 * size.
 */
export async function atEachLook(page: Page, act: () => Promise<void>): Promise<void> {
  for (const [width, colorScheme] of [
    [1440, 'light'],
    [1440, 'dark'],
    [390, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 844 });
    await page.emulateMedia({ colorScheme });
    await act();
  }
  await page.setViewportSize({ width: 1440, height: 900 });
}

/**
 * Returns the elements that are partly cut off by the edges of the page or of their container, except in
 * scrolling rows, zoomed images and crops of faces.
 */
export function findCutOff(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    // Methods instead of functions, because the loader wraps named functions in a helper that the page lacks.
    const visibility = {
      isHidden(element: Element): boolean {
        return (
          element.closest('.sr, .skip, .panes, .crop, thead, svg') !== null ||
          !element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })
        );
      },
      isInRow(element: Element | null): boolean {
        if (element === null) return false;
        return (
          /auto|scroll/.test(getComputedStyle(element).overflowX) || visibility.isInRow(element.parentElement)
        );
      },
    };
    const { clientWidth: pageWidth, scrollWidth } = document.documentElement;
    const found = scrollWidth > pageWidth ? [`the page is ${scrollWidth} px wide`] : [];
    for (const element of document.body.querySelectorAll('*')) {
      if (visibility.isHidden(element)) continue;
      const { left, right, width } = element.getBoundingClientRect();
      const hidesMore = element.scrollWidth > element.clientWidth + 1;
      const isBeyond =
        width > 0 && (left < -1 || right > pageWidth + 1) && !visibility.isInRow(element.parentElement);
      const isBehind = hidesMore && /hidden|clip/.test(getComputedStyle(element).overflowX);
      const isWideTable = hidesMore && element.matches('.table-wrap');
      if (isBeyond || isBehind || isWideTable)
        found.push(`${element.tagName} ${element.className} "${element.textContent.slice(0, 40)}"`);
    }
    return found;
  });
}
