// Tests the Scans page of a service without PostgreSQL.
import assert from 'node:assert/strict';
import { findSerious, openPage, type Person } from '../../support/browser.js';
import { callConsole, signIn } from '../../support/console.js';
import { openVisit } from '../../support/visit.js';

const DESK: Person = { account: 'desk', email: 'ann@desk.example', role: 'member' };

describe('the console’s Scans page without PostgreSQL', function () {
  this.timeout(600_000);
  it('explains that scans are unavailable and what to set up', async () => {
    const visit = await openVisit();
    try {
      await openPage(visit.page, 'Scans');
      await visit.page.getByText('This service has no scans').waitFor();
      assert.deepEqual(await findSerious(visit.page), []);
      const client = await signIn(visit.bench, DESK);
      assert.equal((await client.call('GET', '/scans')).status, 501);
      assert.equal((await callConsole(visit.bench.url, 'GET', '/scans')).status, 401);
    } finally {
      await visit.close();
    }
  });
});
