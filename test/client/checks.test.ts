// Tests reading stored checks through the typed client, with the real service.
import assert from 'node:assert/strict';
import { headlineOf, Telltale } from '../../client/src/index.js';
import { SCENE_JPEG } from '../support/images.js';
import { openBench, type ServiceBench } from '../support/service.js';
import { fixture } from '../support/telltale.js';

const IMAGE = fixture('png/scene.png');

describe('stored checks in telltale-client', () => {
  let bench: ServiceBench;

  before(async () => {
    bench = await openBench();
  });

  after(() => bench.close());

  it('are found by the program’s own reference, and their verdicts can be reported as wrong', async () => {
    const telltale = new Telltale({
      baseUrl: bench.url,
      apiKey: await bench.newKey({ scopes: ['check', 'usage'] }),
    });
    const one = await telltale.check(IMAGE, { ref: 'order 1' });
    const { results } = await telltale.checkBatch([SCENE_JPEG, SCENE_JPEG], { refs: [undefined, 'order 2'] });
    const mixed = [SCENE_JPEG, 'http://127.0.0.1/x.jpg'];
    const [third] = (await telltale.checkBatch(mixed, { refs: ['order 3', 'order 4'] })).results;
    const many: (string | undefined)[] = [];
    for await (const { result } of telltale.checkMany([IMAGE], { refOf: (path) => `at ${path.length}` }))
      many.push(result?.ref);
    const refs = [one, ...results, third].map((entry) => entry && 'ref' in entry && entry.ref);
    assert.deepEqual(refs, ['order 1', false, 'order 2', 'order 3']);
    assert.deepEqual(many, [`at ${IMAGE.length}`]);
    await assert.rejects(telltale.checkBatch([IMAGE], { refs: [] }), TypeError);

    const { created_at: createdAt, assessment, appeal, ...past } = await telltale.checks.get(one.id);
    assert.deepEqual(past, one);
    assert.deepEqual([assessment, appeal], ['no_ai_detected', null]);
    const found = await telltale.checks.list({ ref: 'order 2', from: new Date(createdAt), isAi: one.is_ai });
    assert.deepEqual([found.checks.map(({ ref }) => ref), found.next], [['order 2'], null]);
    const all: string[] = [];
    for await (const { id } of telltale.checks.each({ limit: 2 })) all.push(id);
    assert.deepEqual(all, [...all].sort().reverse());
    assert.equal(new Set(all).size, 5);
    const note = 'seen in the studio';
    assert.deepEqual(await telltale.checks.feedback(one.id, { isAi: true, note }), {
      id: one.id,
      is_ai: true,
      note,
    });
    assert.equal(headlineOf(one), 'No AI detected');
    assert.equal(headlineOf({ ...one, appeal: 'overturned' }), 'Overturned');
    await assert.rejects(telltale.checks.get('chk_no'), { code: 'not_found' });
    await assert.rejects(telltale.checks.list({ limit: 0 }), { code: 'invalid_request' });
    assert.equal((await telltale.usage()).checks.used, 5);
  });
});
