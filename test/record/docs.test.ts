// docs/record.md explains every member of a record as the schema does.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SignedRecord } from '../../src/record/content/schema.js';
import { SCORE_TOLERANCE } from '../../src/record/content/provenance.js';
import { listMembers } from '../support/schema-members.js';
import { ROOT } from '../support/telltale.js';

const page = readFileSync(join(ROOT, 'docs/record.md'), 'utf8');

describe('docs/record.md', () => {
  it('has a row for each member, and no other', () => {
    const rows = [...page.matchAll(/^\| `([\w.[\]]+)` \| (.+) \|$/gm)].map(([, name, meaning]) => [
      name,
      meaning,
    ]);
    const members = listMembers(SignedRecord).map(([name, meaning]) => [
      name,
      meaning.replaceAll('|', '\\|'),
    ]);
    assert.ok(members.length > 80 && members.every(([, meaning]) => meaning !== ''));
    assert.deepEqual(rows, members);
  });

  it('names the tolerance of scores', () => {
    assert.match(page, new RegExp(`up to ${SCORE_TOLERANCE}\\b`));
  });
});
