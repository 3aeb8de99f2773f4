// Folders of tests, which nobody has to remove: they go when the tests of their file have ended, or with the process.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

function removeFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** Makes an empty folder; `name` tells whose it is where one is left behind. */
export function makeFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `telltale-${name}-`));
  made.push(folder);
  return folder;
}

process.once('exit', removeFolders);

/** Mocha takes them from here (.mocharc.json). */
export const mochaHooks = { afterAll: removeFolders };
