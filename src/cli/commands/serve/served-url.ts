// The address on which `serve` listens, stored in the data folder for commands that print links.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from 'telltale-engine/internal/base/make-folder.js';
import type { Config } from '../../../config.js';

const FILE = 'served-url';

type Settings = Pick<Config, 'dataDir' | 'publicUrl' | 'host' | 'port'>;

/** Address of the console. */
interface ConsoleAddress {
  readonly url: string;
  /** Reason why this address is assumed, for people, or null if `TELLTALE_PUBLIC_URL` names it. */
  readonly assumed: string | null;
}

/** Stores the address of a listening service. If the folder is read-only, links use the settings and say so. */
export async function keepServedUrl({ dataDir }: Pick<Config, 'dataDir'>, url: string): Promise<void> {
  try {
    await makeFolder(dataDir);
    await writeFile(join(dataDir, FILE), `${url}\n`);
  } catch {
    // A read-only data folder is valid: database and store may be elsewhere.
  }
}

/** Returns `TELLTALE_PUBLIC_URL`, else the address of the last listening service, else the address of the settings. */
export async function findConsole({ dataDir, publicUrl, host, port }: Settings): Promise<ConsoleAddress> {
  if (publicUrl !== null) return { url: publicUrl, assumed: null };
  const served = await readServedUrl(dataDir);
  if (served !== null) return { url: reachable(served), assumed: "where 'telltale serve' last listened" };
  return {
    url: reachable(`http://${host.includes(':') ? `[${host}]` : host}:${port}`),
    assumed: 'where TELLTALE_HOST and TELLTALE_PORT have it listen',
  };
}

/** Replaces the address of all interfaces by the loopback address, because browsers can't open 0.0.0.0. */
function reachable(url: string): string {
  return url.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:\d+$)/, '//127.0.0.1');
}

async function readServedUrl(dataDir: string): Promise<string | null> {
  const text = await readFile(join(dataDir, FILE), 'utf8').catch(() => '');
  const url = text.trim();
  return /^http:\/\/[\w.:[\]-]+:\d{1,5}$/.test(url) && URL.canParse(url) ? url : null;
}
