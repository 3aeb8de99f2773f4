// Tests the counters on the operator's health page.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Health } from '../../../src/service/console/shapes.js';
import { signIn } from '../../support/console.js';
import { describeServiceOnEachDatabase } from '../../support/service.js';
import { fixture } from '../../support/telltale.js';

describeServiceOnEachDatabase('the operator’s health page', (bench) => {
  it('counts every refused image, even if the image was refused before it reached the engine', async () => {
    const operator = await signIn(bench(), { account: 'house', email: 'op@house.example', role: 'operator' });
    const readImages = async () => (await operator.call<Health>('GET', '/operator/health')).body.pictures;
    const before = await readImages();
    for (const bytes of [Buffer.from('no image'), readFileSync(fixture('jpeg/444.jpg'))])
      assert.ok((await operator.check(bytes)).status >= 400);
    assert.deepEqual(await readImages(), { ...before, refused: before.refused + 2 });
  });
});
