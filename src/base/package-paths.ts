// Where the package keeps what it ships, and its version; the same from src/ and from dist/.
import { fileURLToPath } from 'node:url';
import { readFileSync } from 'node:fs';

/** Folder with one folder a model, and bands.json. */
export const PACKAGE_MODELS_DIR = fileURLToPath(new URL('../../models', import.meta.url));

/** Folder with the trust lists of the day that its lists.json names. */
export const PACKAGE_TRUST_DIR = fileURLToPath(new URL('../../trust', import.meta.url));

/** Folder with the console's built pages. */
export const PACKAGE_CONSOLE_DIR = fileURLToPath(new URL('../../dist/pages', import.meta.url));

/** As package.json has it. */
export function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** What the project offers programs that read for people, by https://llmstxt.org. */
export function readOverview(): string {
  return readFileSync(new URL('../../llms.txt', import.meta.url), 'utf8');
}
