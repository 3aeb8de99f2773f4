// Tables of the documentation against the code: every error code with its status, every setting.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../src/config.js';
import { ERROR_STATUS } from '../../src/base/error-codes.js';
import { ROOT } from '../support/telltale.js';

const readPage = (name: string): string => readFileSync(join(ROOT, 'docs', name), 'utf8');

describe('tables of the documentation', () => {
  it('list every error code with its status, and no other', () => {
    const rows = [...readPage('http.md').matchAll(/^\| `([a-z_0-9]+)` \| (\d{3}) \|/gm)];
    const listed = rows.map(([, code, status]) => [code, Number(status)]);
    assert.deepEqual(listed.sort(), Object.entries(ERROR_STATUS).sort());
  });

  it('list every setting, and no other', () => {
    const rows = [...readPage('operating.md').matchAll(/^\| (`TELLTALE_.*?) \|/gm)];
    const listed = rows.flatMap(([, cell]) => cell?.match(/TELLTALE_\w+/g) ?? []);
    // The start names all settings when it meets one that it does not know.
    const message = captureMessage(() => loadConfig({ TELLTALE_NO_SUCH_SETTING: '1' }));
    const known = /the settings are (.*)$/.exec(message)?.[1]?.split(', ');
    assert.deepEqual(listed.sort(), known?.sort());
  });
});

function captureMessage(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return String(error);
  }
  return '';
}
