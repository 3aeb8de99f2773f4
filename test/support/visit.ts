// Starts a service and a browser in which a person is signed in.
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { Config } from '../../src/config.js';
import { launchBrowser, openConsole, type Person, type Watch } from './browser.js';
import { openBench, type ServiceBench } from './service.js';
import { ROOT } from './telltale.js';

let shared: Promise<Browser> | null = null;

/**
 * Returns the browser of this process. Test files use it one after the other: each closes its windows, but
 * not the browser.
 */
export function sharedBrowser(): Promise<Browser> {
  return (shared ??= launchBrowser());
}

/** Closes every window, as each test file does at its end. */
export async function closeWindows(): Promise<void> {
  for (const context of (await shared)?.contexts() ?? []) await context.close();
}

after(async () => {
  await (await shared)?.close();
  shared = null;
});

/** Name that would run a script if a page inserted it as markup. */
export const HOSTILE = '<img src=x onerror=alert(1)>';

/** An operator whose account has a hostile name. */
export const ANN: Person = { account: `acme ${HOSTILE}`, email: 'ann@acme.example', role: 'operator' };

/** Browser, service and page for a test. */
export interface Visit {
  readonly browser: Browser;
  readonly bench: ServiceBench;
  /** Page of the signed-in person, which shows Try. */
  readonly page: Page;
  readonly watch: Watch;
  close(): Promise<void>;
}

/**
 * Starts everything for ANN, with `changes` to the settings. The samples' trust list is active, and images on
 * this machine may be fetched.
 */
export async function openVisit(changes: Partial<Config> = {}): Promise<Visit> {
  /** Functions that close what was started. They run even if the start fails. */
  const endings: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const end of endings.reverse()) await end();
  };
  try {
    const browser = await sharedBrowser();
    endings.push(closeWindows);
    const bench = await openBench(
      'sqlite',
      { trustDir: join(ROOT, 'samples/trust'), deadlineMs: 120_000, ...changes },
      { fetcher: { isAllowed: () => true } },
    );
    endings.push(() => bench.close());
    const { page, watch } = await openConsole(browser, bench, ANN);
    return { browser, bench, page, watch, close };
  } catch (error) {
    await close();
    throw error;
  }
}
