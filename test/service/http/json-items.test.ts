// Tests reading the images of a scan from a JSON body, one by one.
import assert from 'node:assert/strict';
import { JsonFault } from '../../../src/library/base/bounded-json.js';
import { readItemsBody } from '../../../src/service/http/body/scan-input.js';

async function read(text: string): Promise<{ rest: unknown; items: unknown[] | null }> {
  const { rest, items } = await readItemsBody(Buffer.from(text), 'items');
  if (items === null) return { rest, items };
  const all: unknown[] = [];
  for await (const item of items) all.push(item);
  return { rest, items: all };
}

describe('the reader that returns the items of a long list in a JSON body one by one', () => {
  it('returns the same items as JSON.parse', async () => {
    const items = [{ url: 'a,]"\\', ref: '[{' }, 1, [[], {}], 'items', null, { items: [1] }];
    for (const body of [
      { profile: 'x', items, include: ['a'] },
      { items, source: { items: [1, 2] } },
      { items: [] },
      { items: [{ url: 'ü' }] },
    ]) {
      for (const space of [0, 2]) {
        const { rest, items: got } = await read(JSON.stringify(body, null, space));
        assert.deepEqual(got, body.items);
        assert.deepEqual(rest, { ...body, items: [] });
      }
    }
  });

  it('returns no items if the list is missing, is not a list or is nested deeper', async () => {
    for (const body of [{}, { items: 5 }, { items: { items: [1] } }, { a: { items: [1] } }, ['items', [1]]])
      assert.deepEqual(await read(JSON.stringify(body)), { rest: body, items: null });
  });

  it('uses the last of two fields with the same name, like JSON.parse', async () => {
    const { items } = await read('{"items":[1],"items":[2,3]}');
    assert.deepEqual(items, [2, 3]);
  });

  it('refuses invalid JSON, and too many values inside an item or outside the list', async () => {
    const many = `[${'1,'.repeat(2000)}1]`;
    for (const text of [
      '{"items":[1 2]}',
      '{"items":[1,]}',
      '{"items":[,1]}',
      '{"items":[{]}]}',
      '{"items":[1]',
      `{"items":[${many}]}`,
      `{"items":[1],"other":${many}}`,
      `{"items":["${'x'.repeat(70_000)}",2]}`,
      `{"items":${'['.repeat(100_000)}`,
    ])
      await assert.rejects(read(text), JsonFault, text.slice(0, 60));
  });
});
