// The README's tables against the code: every error code with its status, every setting.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { loadConfig } from '../../src/config.js';
import { ERROR_STATUS } from '../../src/errors.js';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

describe('the README', () => {
  it('lists every error code with its status, and no other', () => {
    const rows = [...readme.matchAll(/^\| `([a-z_0-9]+)` \| (\d{3}) \|/gm)];
    const listed = new Map(rows.map(([, code, status]) => [code, Number(status)]));
    assert.deepEqual(listed, new Map(Object.entries(ERROR_STATUS)));
  });

  it('lists every setting, and no other', () => {
    const rows = [...readme.matchAll(/^\| (`TELLTALE_.*?) \|/gm)].map(([, cell]) => cell ?? '');
    const listed = rows.flatMap((cell) => cell.match(/TELLTALE_\w+/g) ?? []);
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
