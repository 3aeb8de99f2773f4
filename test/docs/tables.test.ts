// Compares tables in the documentation with the code: every error code with its status, and every setting.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../src/config.js';
import { ERROR_STATUS } from '../../src/library/base/error-codes.js';
import { ROOT } from '../support/telltale.js';

const readPage = (name: string): string => readFileSync(join(ROOT, 'docs', name), 'utf8');

describe('the tables in the documentation', () => {
  it('list exactly the existing error codes, each with its HTTP status', () => {
    const rows = [...readPage('http.md').matchAll(/^\| `([a-z_0-9]+)` \| (\d{3}) \|/gm)];
    const listed = rows.map(([, code, status]) => [code, Number(status)]);
    assert.deepEqual(listed.sort(), Object.entries(ERROR_STATUS).sort());
  });

  it('list exactly the existing settings', () => {
    const rows = [...readPage('operating.md').matchAll(/^\| (`TELLTALE_.*?) \|/gm)];
    const listed = rows.flatMap(([, cell]) => cell?.match(/TELLTALE_\w+/g) ?? []);
    assert.deepEqual(listed.sort(), listSettings());
  });

  it('agree with the other pages, which mention only existing settings', () => {
    const pages = [
      'README.md',
      'CONTRIBUTING.md',
      'client/README.md',
      'deploy/README.md',
      'examples/README.md',
    ];
    const texts = [
      ...readdirSync(join(ROOT, 'docs'))
        .filter((name) => name.endsWith('.md'))
        .map(readPage),
      ...pages.map((name) => readFileSync(join(ROOT, name), 'utf8')),
    ];
    // The last three variables are read by the clients and by CMake.
    const known = [...listSettings(), 'TELLTALE_URL', 'TELLTALE_KEY', 'TELLTALE_UNITY'];
    const named = texts.flatMap((text) => text.match(/\bTELLTALE_[A-Z_]*[A-Z]\b(?!\*)/g) ?? []);
    assert.deepEqual(
      named.filter((name) => !known.includes(name)),
      [],
    );
  });
});

/** Returns all settings, sorted. The startup error about an unknown setting lists them. */
function listSettings(): string[] {
  const message = captureMessage(() => loadConfig({ TELLTALE_NO_SUCH_SETTING: '1' }));
  return /the settings are (.*)$/.exec(message)![1]!.split(', ').sort();
}

function captureMessage(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return String(error);
  }
  return '';
}
