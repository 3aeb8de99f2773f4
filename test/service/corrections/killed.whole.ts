// A SIGKILL amid learning: what was in force serves on, and the next process that is there learns the correction.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { openDatabase } from '../../../src/storage/db/database.js';
import { makeLink } from '../../support/browser.js';
import { callConsole, cookieOf, clientOf } from '../../support/console.js';
import {
  drawPlasma,
  learn,
  putInForce,
  readCorrections,
  reportAsGenerated,
  waitForEnd,
} from '../../support/reports.js';
import { serve } from '../../support/telltale-serve.js';

describe('a process that is killed while it learns', () => {
  it('loses nothing', async function () {
    this.timeout(600_000);
    const folder = mkdtempSync(join(tmpdir(), 'telltale-killed-'));
    const env = { TELLTALE_DATA_DIR: folder, TELLTALE_DEVICE: 'cpu' };
    let served = await serve(env);
    const database = await openDatabase({ kind: 'sqlite', path: join(folder, 'telltale.sqlite') });
    try {
      const person = { account: 'desk', email: 'op@desk.example', role: 'operator' } as const;
      const link = await makeLink(database, served.url, person);
      const token = link.slice(link.indexOf('#') + 1);
      const visit = { body: { token } };
      const cookie = cookieOf(await callConsole(served.url, 'POST', '/links/follow', visit));
      let client = clientOf(served.url, cookie);
      const pictures = drawPlasma(24);
      await reportAsGenerated(client, pictures);
      const serving = await learn(client, 'first');
      assert.equal(serving.state, 'ready', serving.reason ?? '');
      await putInForce(client, serving.id);
      const asked = await client.call<{ id: string }>('POST', '/operator/corrections', { name: 'second' });
      while ((await readCorrections(client)).corrections[0]?.state !== 'learning') await setTimeout(50);
      await served.end('SIGKILL');
      served = await serve(env);
      client = clientOf(served.url, cookie);
      const { in_force: inForce, model, corrections } = await readCorrections(client);
      assert.deepEqual([inForce?.id, model.includes('+first.')], [serving.id, true]);
      assert.equal(corrections[0]?.state, 'learning');
      const checked = await client.check(pictures[0] as Buffer);
      assert.deepEqual([checked.status, checked.body.model], [200, model]);
      assert.equal((await waitForEnd(client, asked.body.id)).state, 'ready');
    } finally {
      await served.end('SIGKILL');
      await database.close();
      rmSync(folder, { recursive: true });
    }
  });
});
