// Tests the history API as an editor uses it: names, colours, thumbnails, single checks by link and notes.
import assert from 'node:assert/strict';
import type { CheckPage, ShownCheck } from '../../../src/service/console/shapes.js';
import { signIn, type ConsoleClient } from '../../support/console.js';
import { makeSteered, SCENE_JPEG } from '../../support/images.js';
import { describeServiceOnEachDatabase, send, type ServiceBench } from '../../support/service.js';

const person = (account: string, name = 'ann') =>
  ({ account, email: `${name}@${account}.example`, role: 'member', plan: 'growth' }) as const;

/** Checks an image by hand under a file name, and returns the check's identifier. */
async function checkNamed(
  bench: ServiceBench,
  client: ConsoleClient,
  name: string,
  query = '',
): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(SCENE_JPEG)]), name);
  const headers = { origin: bench.url, cookie: client.cookie };
  const answer = await send(`${bench.url}/console/api/checks${query}`, {
    method: 'POST',
    headers,
    body: form,
  });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.id;
}

describeServiceOnEachDatabase('the check history API of the console', (service) => {
  let ann: ConsoleClient;
  let bob: ConsoleClient;
  let stranger: ConsoleClient;

  before(async () => {
    ann = await signIn(service(), person('desk'));
    bob = await signIn(service(), person('desk', 'bob'));
    stranger = await signIn(service(), person('elsewhere'));
  });

  it('names a check after its file, and shows the check only to members of the same account', async () => {
    const id = await checkNamed(service(), ann, 'Aufnahmen/Hafen – früh.jpg');
    const { status, body } = await bob.call<ShownCheck>('GET', `/checks/${id}`);
    assert.equal(status, 200);
    assert.equal(body.name, 'Hafen – früh.jpg');
    assert.equal(body.member, 'ann@desk.example');
    assert.ok(body.colours.length >= 1 && body.colours.every((colour) => /^#[0-9a-f]{6}$/.test(colour)));
    assert.equal((await stranger.call('GET', `/checks/${id}`)).status, 404);
    const found = await bob.call<CheckPage>('GET', `/checks?text=${encodeURIComponent('FRÜH.jpg')}`);
    assert.deepEqual(
      found.body.checks.map((check) => check.id),
      [id],
    );
  });

  it('accepts a report of a wrong verdict; a report that agrees with the verdict is refused and changes nothing', async () => {
    const report = async (id: string, label: string): Promise<unknown> => {
      const { status, body } = await bob.call('PUT', `/checks/${id}/report`, { label, note: label });
      return status === 204 ? status : [status, body.error.code, (body.error as { param?: string }).param];
    };
    const reported = async (id: string) =>
      (await ann.call<ShownCheck>('GET', `/checks/${id}`)).body.report?.label;
    const refused = [400, 'invalid_request', 'label'];
    const genuine = await checkNamed(service(), ann, 'harbour.jpg');
    assert.equal(await report(genuine, 'edited'), 204);
    assert.deepEqual(await report(genuine, 'real'), refused);
    assert.equal(await reported(genuine), 'edited');
    const { body } = await ann.check(makeSteered(235, 20, 235));
    assert.equal(body.is_ai, true);
    for (const label of ['real', 'edited', 'swapped']) assert.equal(await report(body.id, label), 204, label);
    assert.deepEqual(await report(body.id, 'generated'), refused);
    assert.equal(await reported(body.id), 'swapped');
  });

  it('serves thumbnails of stored images only', async () => {
    const kept = await checkNamed(service(), ann, 'kept.jpg', '?store=true');
    const path = `${service().url}/console/api/checks/${kept}/thumbnail`;
    for (let time = 0; time < 2; time += 1) {
      const response = await fetch(path, { headers: { cookie: bob.cookie } });
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('content-type'), 'image/jpeg');
      const bytes = Buffer.from(await response.arrayBuffer());
      assert.deepEqual([...bytes.subarray(0, 2)], [0xff, 0xd8]);
      assert.ok(bytes.byteLength < 20_000);
    }
    assert.equal((await stranger.call('GET', `/checks/${kept}/thumbnail`)).status, 404);
    const other = await checkNamed(service(), ann, 'other.jpg');
    assert.equal((await ann.call('GET', `/checks/${other}/thumbnail`)).status, 404);
  });

  it('stores a check’s note and review status, with the member who set them', async () => {
    const id = await checkNamed(service(), ann, 'noted.jpg');
    const path = `/checks/${id}/note`;
    assert.equal((await bob.call('PUT', path, { text: ' ask the agency ', status: 'open' })).status, 204);
    const { note } = (await ann.call<ShownCheck>('GET', `/checks/${id}`)).body;
    assert.deepEqual([note?.text, note?.status, note?.by], ['ask the agency', 'open', 'bob@desk.example']);
    assert.equal((await stranger.call('PUT', path, { text: 'x', status: null })).status, 404);
    assert.equal((await bob.call('PUT', path, { text: 'x'.repeat(501), status: null })).status, 400);
    assert.equal((await bob.call('PUT', path, { text: '', status: 'done' })).status, 400);
    const { body } = await ann.call<CheckPage>('GET', '/checks?status=open&text=agency&person=ANN@');
    assert.deepEqual(
      body.checks.map((check) => check.id),
      [id],
    );
  });

  it('lets only one member at a time claim a check for review, and shows the others who claimed the check', async () => {
    const id = await checkNamed(service(), ann, 'taken.jpg');
    const path = `/checks/${id}/claim`;
    const [first, second] = await Promise.all([ann.call('PUT', path), bob.call('PUT', path)]);
    assert.deepEqual([first.status, second.status].sort(), [200, 400]);
    const [winner, loser] = first.status === 200 ? [ann, bob] : [bob, ann];
    const refused = first.status === 200 ? second : first;
    assert.match(refused.text, /(ann|bob)@desk\.example has been reviewing this check since 2/);
    assert.equal((await winner.call('PUT', path)).status, 200, 'again changes nothing');
    const { claim } = (await loser.call<ShownCheck>('GET', `/checks/${id}`)).body;
    assert.equal(claim?.by, `${winner === ann ? 'ann' : 'bob'}@desk.example`);
    const listed = async (by: ConsoleClient, claimed: string) =>
      (await by.call<CheckPage>('GET', `/checks?claimed=${claimed}`)).body.checks.map((check) => check.id);
    assert.deepEqual(
      [await listed(winner, 'me'), await listed(loser, 'me'), await listed(loser, 'anybody')],
      [[id], [], [id]],
    );
    assert.ok(!(await listed(ann, 'nobody')).includes(id));
    assert.equal((await ann.call('GET', '/checks?claimed=us')).status, 400);
    assert.deepEqual(
      [(await stranger.call('PUT', path)).status, (await stranger.call('DELETE', path)).status],
      [404, 404],
    );
    assert.equal((await loser.call('DELETE', path)).status, 404);
    assert.equal((await winner.call('DELETE', path)).status, 204);
    assert.equal((await loser.call('PUT', path)).status, 200);
    const owner = await signIn(service(), { ...person('desk', 'olga'), role: 'owner' });
    assert.equal((await owner.call('DELETE', path)).status, 204);
  });

  it('filters checks by date or timestamp and returns pages of up to 500 checks', async () => {
    const page = (query: string) => ann.call<CheckPage>('GET', `/checks?${query}`);
    const { body } = await page('limit=1');
    assert.equal(body.checks.length, 1);
    assert.equal(body.next, body.checks[0]?.id);
    assert.deepEqual((await page('to=2001-01-01')).body.checks, []);
    assert.ok((await page('from=2001-01-01T00:00:00.000Z')).body.checks.length >= 3);
    assert.equal((await page('from=soon')).status, 400);
    assert.equal((await page('limit=501')).status, 400);
  });
});

describeServiceOnEachDatabase(
  'the check history with names switched off',
  (service) => {
    it('stores neither file names nor image addresses of checks', async () => {
      const client = await signIn(service(), person('secret'));
      const id = await checkNamed(service(), client, 'client.jpg');
      assert.equal((await client.call<ShownCheck>('GET', `/checks/${id}`)).body.name, null);
    });
  },
  { historyNames: false },
);
