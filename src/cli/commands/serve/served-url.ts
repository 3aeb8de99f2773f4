// Storing the address on which the service listens, so that other commands can print links to the console.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from 'telltale-engine/internal/base/files.js';
import type { Config } from '../../../config.js';
import type { Terminal } from '../../terminal/terminal.js';

const FILE = 'served-url';

type Settings = Pick<Config, 'dataDir' | 'publicUrl' | 'host' | 'port'>;

/** Address of the console. */
interface ConsoleAddress {
  readonly url: string;
  /** Text for the operator that says why this address is only a guess. Null if `TELLTALE_PUBLIC_URL` sets it. */
  readonly assumed: string | null;
}

/** Stores the address of the running service in the data folder. Ignores a read-only folder. */
export async function keepServedUrl({ dataDir }: Pick<Config, 'dataDir'>, url: string): Promise<void> {
  try {
    await makeFolder(dataDir);
    await writeFile(join(dataDir, FILE), `${url}\n`);
  } catch {
    // A read-only data folder is no error, because database and images may be stored elsewhere.
  }
}

/** Returns `TELLTALE_PUBLIC_URL`, else the service's last address, else one from the settings. */
export async function findConsole({ dataDir, publicUrl, host, port }: Settings): Promise<ConsoleAddress> {
  if (publicUrl !== null) return { url: publicUrl, assumed: null };
  const served = await readServedUrl(dataDir);
  if (served !== null) return { url: reachable(served), assumed: "the last address of 'telltale serve'" };
  return {
    url: reachable(`http://${host.includes(':') ? `[${host}]` : host}:${port}`),
    assumed: 'the address of TELLTALE_HOST and TELLTALE_PORT',
  };
}

/** Warns on standard error if the address in a printed link is only a guess. */
export async function warnAssumed({ err }: Terminal, { url, assumed }: ConsoleAddress): Promise<void> {
  if (assumed !== null)
    await err.writeLine(
      `telltale: the link assumes that the console is at ${url}, ${assumed}; TELLTALE_PUBLIC_URL sets another address`,
    );
}

/** Replaces 0.0.0.0 (all interfaces) by the loopback address, because browsers can't open 0.0.0.0. */
function reachable(url: string): string {
  return url.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:\d+$)/, '//127.0.0.1');
}

async function readServedUrl(dataDir: string): Promise<string | null> {
  const text = await readFile(join(dataDir, FILE), 'utf8').catch(() => '');
  const url = text.trim();
  return /^http:\/\/[\w.:[\]-]+:\d{1,5}$/.test(url) && URL.canParse(url) ? url : null;
}
