// The address that `serve` really listens on, kept in the data folder for commands that print links.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from 'telltale-engine/internal/base/make-folder.js';
import type { Config } from '../../../config.js';

const FILE = 'served-url';

type Settings = Pick<Config, 'dataDir' | 'publicUrl' | 'host' | 'port'>;

/** Where the console is reached. */
interface ConsoleAddress {
  readonly url: string;
  /** Why this address is assumed, for people; null where `TELLTALE_PUBLIC_URL` names it. */
  readonly assumed: string | null;
}

/** Keeps the address of a service that listens. Where it can't, links are made by the settings, and say so. */
export async function keepServedUrl({ dataDir }: Pick<Config, 'dataDir'>, url: string): Promise<void> {
  try {
    await makeFolder(dataDir);
    await writeFile(join(dataDir, FILE), `${url}\n`);
  } catch {
    // A data folder that is read alone is no fault: the database and the store may be elsewhere.
  }
}

/** `TELLTALE_PUBLIC_URL`; else where the service last listened; else where the settings have it listen. */
export async function findConsole({ dataDir, publicUrl, host, port }: Settings): Promise<ConsoleAddress> {
  if (publicUrl !== null) return { url: publicUrl, assumed: null };
  const served = await readServedUrl(dataDir);
  if (served !== null) return { url: reachable(served), assumed: "where 'telltale serve' last listened" };
  return {
    url: reachable(`http://${host.includes(':') ? `[${host}]` : host}:${port}`),
    assumed: 'where TELLTALE_HOST and TELLTALE_PORT have it listen',
  };
}

/** Who listens on every address, as in a container, is reached on this machine's own; browsers open no 0.0.0.0. */
function reachable(url: string): string {
  return url.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:\d+$)/, '//127.0.0.1');
}

async function readServedUrl(dataDir: string): Promise<string | null> {
  const text = await readFile(join(dataDir, FILE), 'utf8').catch(() => '');
  const url = text.trim();
  return /^http:\/\/[\w.:[\]-]+:\d{1,5}$/.test(url) && URL.canParse(url) ? url : null;
}
