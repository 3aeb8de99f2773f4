// Tests that docs/record.md explains every field of a record as the schema does.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TSchema } from '@sinclair/typebox';
import { SignedRecord } from '../../src/record/content/schema.js';
import { SCORE_TOLERANCE } from '../../src/record/content/provenance.js';
import { ROOT } from '../support/telltale.js';

const page = readFileSync(join(ROOT, 'docs/record.md'), 'utf8');

describe('the table of fields in docs/record.md', () => {
  it('has exactly one row for each field of a record', () => {
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

  it('states the allowed difference of scores', () => {
    assert.match(page, new RegExp(`up to ${SCORE_TOLERANCE}\\b`));
  });
});

/**
 * Returns every field with its dotted name and its description, in the order of the schema. `[]` stands for
 * list entries.
 */
function listMembers(schema: TSchema, at = ''): readonly (readonly [name: string, meaning: string])[] {
  const { properties, items, anyOf } = schema as {
    properties?: Record<string, TSchema>;
    items?: TSchema;
    anyOf?: TSchema[];
  };
  if (anyOf) return anyOf.flatMap((one) => listMembers(one, at));
  if (items && !Array.isArray(items)) return listMembers(items, `${at}[]`);
  return Object.entries(properties ?? {}).flatMap(([name, member]) => {
    const path = at === '' ? name : `${at}.${name}`;
    return [[path, member.description ?? ''] as const, ...listMembers(member, path)];
  });
}
