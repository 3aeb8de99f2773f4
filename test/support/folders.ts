// Creates temporary folders. They are removed after the tests of their file, or at the end of the process.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

function removeFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** Creates an empty folder. `name` identifies its test if the folder is left behind. */
export function makeFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `telltale-${name}-`));
  made.push(folder);
  return folder;
}

process.once('exit', removeFolders);

/** Hooks that mocha loads from here (.mocharc.json). */
export const mochaHooks = { afterAll: removeFolders };
