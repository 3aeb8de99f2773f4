// A service of its own, and a browser in which somebody is signed in.
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { Config } from '../../src/config.js';
import { launchBrowser, openConsole, type Person, type Watch } from './browser.js';
import { openBench, type ServiceBench } from './service.js';
import { ROOT } from './telltale.js';

let shared: Promise<Browser> | null = null;

/** The browser of this process, which all its files use in turn: each closes its windows, none the browser. */
export function sharedBrowser(): Promise<Browser> {
  return (shared ??= launchBrowser());
}

/** Closes every window, as each file does at its end. */
export async function closeWindows(): Promise<void> {
  for (const context of (await shared)?.contexts() ?? []) await context.close();
}

after(async () => {
  await (await shared)?.close();
  shared = null;
});

/** Names that would be script where they were taken for markup. */
export const HOSTILE = '<img src=x onerror=alert(1)>';

/** An operator, whose account has such a name. */
export const ANN: Person = { account: `acme ${HOSTILE}`, email: 'ann@acme.example', role: 'operator' };

/** What a test in a browser works with. */
export interface Visit {
  readonly browser: Browser;
  readonly bench: ServiceBench;
  /** Signed in, with the Try page open. */
  readonly page: Page;
  readonly watch: Watch;
  close(): Promise<void>;
}

/**
 * Starts all of it for ANN, with `changes` of the settings. The samples' trust list is in force, and addresses of this
 * machine may be fetched.
 */
export async function openVisit(changes: Partial<Config> = {}): Promise<Visit> {
  /** Ends what was begun, also where the rest could not be. */
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
