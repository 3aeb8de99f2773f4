// Tests thresholds fitted to 340 cleared images of two accounts: inspected by the engine, activated, refitted
// and rolled back.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createImageRetention } from '../../../src/storage/images/image-retention.js';
import { openImageStore } from '../../../src/storage/images/open-image-store.js';
import {
  activate,
  FOLLOW_MS,
  drawBoxes,
  keepCleared,
  readJudged,
  shippedBands,
  readThresholds,
  waitForEnd,
} from '../../support/cleared.js';
import { signIn } from '../../support/console.js';
import { makeFolder } from '../../support/folders.js';
import { openBench } from '../../support/service.js';

const EACH = 170;

describe('thresholds fitted in the console', () => {
  it('apply to every result, which names them, until they are rolled back', async function () {
    this.timeout(600_000);
    const folder = makeFolder('thresholds');
    const setting = { kind: 'folder', path: join(folder, 'store') } as const;
    const bench = await openBench('sqlite', { store: setting });
    const store = await openImageStore(setting);
    try {
      const operator = await signIn(bench, { account: 'desk', email: 'op@desk.example', role: 'operator' });
      await signIn(bench, { account: 'mill', email: 'm@mill.example', role: 'owner' });
      const retention = createImageRetention(bench.database, store, 30);
      const people = await bench.database.run((queries) =>
        queries('members').orderBy('email').select<{ id: string; account_id: string }[]>('id', 'account_id'),
      );
      for (const [at, { id: memberId, account_id: accountId }] of people.entries())
        await keepCleared(
          bench.database,
          retention,
          { accountId, memberId },
          (function* () {
            for (let number = 0; number < EACH; number += 1) yield drawBoxes(at * EACH + number);
          })(),
        );
      const accounts = await readJudged(operator);
      assert.deepEqual(
        accounts.map(({ genuine, members }) => [genuine, members]),
        [
          [EACH, 1],
          [EACH, 1],
        ],
      );
      const asked = await operator.call<{ id: string }>('POST', '/operator/thresholds', {
        name: 'own',
        aims: { strict: 0.01, balanced: 0.05, sensitive: 0.2 },
        also_reported: false,
        account_ids: accounts.map(({ id }) => id),
      });
      assert.equal(asked.status, 201, asked.text);
      const learned = await waitForEnd(operator, asked.body.id);
      assert.equal(learned.state, 'ready', learned.reason ?? '');
      assert.deepEqual([learned.seen, learned.pictures], [2 * EACH, 2 * EACH]);
      const row = learned.outcome?.table.find(
        ([profile, of]) => profile === 'sensitive' && of === 'photographed',
      );
      assert.match(row?.[4] ?? '', /^1?\d of \d+, [0-5](\.\d+)?%$/);
      assert.match(row?.[6] ?? '', /^\d\d of \d+, (19\.\d|20)% \(1\d/);
      assert.deepEqual(
        learned.outcome?.whose
          .slice(1)
          .map(([name, , , , by]) => [name, by])
          .sort(),
        [
          ['desk', '1 member'],
          ['mill', '1 member'],
        ],
      );
      assert.match(learned.outcome.warnings.at(-1) ?? '', /^caution: the threshold moves by more log odds/);
      const version = /^# (\S+)/.exec(learned.card ?? '')?.[1] ?? '';
      const shipped = shippedBands();
      const before = await operator.check(drawBoxes(0));
      assert.equal(before.body.bands_version, shipped.version);
      await activate(operator, learned.id);
      const follow = async (wanted: string): Promise<void> => {
        const endMs = Date.now() + FOLLOW_MS;
        while ((await readThresholds(operator)).bands_version !== wanted) {
          assert.ok(Date.now() < endMs, `no ${wanted} within ${FOLLOW_MS} ms`);
          await setTimeout(100);
        }
      };
      await follow(version);
      const after = await operator.check(drawBoxes(0));
      assert.deepEqual([after.body.bands_version, after.body.scores], [version, before.body.scores]);
      await activate(operator, null);
      await follow(shipped.version);
    } finally {
      await bench.close();
      store.close();
    }
  });
});
