// Tests appeals through a link: access to one check, limits of each link, expiry, revocation and withdrawal.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import sharp from 'sharp';
import { pageAudit } from '../../../src/accounts/audit.js';
import { appealRequests, met, ORIGINAL, OTHER, readAppeal } from '../../support/appeals.js';
import { makeFolder } from '../../support/folders.js';
import {
  assertError,
  describeServiceOnEachDatabase,
  postJson,
  send,
  type Answer,
  type ServiceBench,
} from '../../support/service.js';

const tests = (bench: () => ServiceBench): void => {
  const { path, appeal, list, check, newLink, accountOf } = appealRequests(bench);

  it('need no API key if sent through a valid link, which works only for its own check', async () => {
    const { database } = bench();
    const key = await bench().newKey();
    const [id, neighbour] = [await check(key, await met()), await check(key, OTHER)];
    for (const days of [0, 91, 1.5, '3'])
      assertError(await postJson(path(id, 'appeal-links'), key, { days }), 400, 'invalid_request');
    assertError(await postJson(path('chk_none', 'appeal-links'), key, {}), 404, 'not_found');
    const link = await newLink(id, key, { days: 2 });
    assert.equal(link.url, `${bench().url}/appeal#${id}.${link.token}`);
    assert.ok(Math.abs(Date.parse(link.expires_at) - Date.now() - 2 * 86_400_000) < 60_000);
    assert.equal(readAppeal(await appeal(id, link.token, ORIGINAL)).by, 'link');
    const seen = await list(id, link.token);
    assert.deepEqual([seen.check.id, seen.appeals.length], [id, 1]);
    const other = (what: string) => send(what, { headers: { authorization: `Bearer ${link.token}` } });
    assertError(await other(path(neighbour)), 401, 'unauthorized');
    assertError(await other(`${bench().url}/v1/checks/${id}`), 401, 'unauthorized');
    assertError(await appeal(id, `apt_${'x'.repeat(43)}`, ORIGINAL), 401, 'unauthorized', /unknown/);
    const idle = await newLink(id, key);
    await database.run((queries) =>
      queries('appeal_links')
        .where({ check_id: id })
        .update({ expires_at: Date.now() - 1 }),
    );
    // After the deadline, a link still shows what was sent through it.
    assertError(await appeal(id, link.token, ORIGINAL), 401, 'unauthorized', /expired on 20\d\d-/);
    assert.equal((await list(id, link.token)).link?.state, 'expired');
    const headers = { authorization: `Bearer ${idle.token}` };
    assertError(await send(path(id), { headers }), 401, 'unauthorized', /expired on .* Ask account/);
  });

  it('through one link are neither shown to, nor limited by, another link for the same check', async () => {
    const key = await bench().newKey();
    const id = await check(key, await met());
    const [first, second] = [await newLink(id, key), await newLink(id, key)];
    const sameKey = { 'idempotency-key': 'mine' };
    const made = readAppeal(await appeal(id, first.token, ORIGINAL, { remark: 'my card' }, sameKey));
    const seen = await list(id, second.token);
    assert.deepEqual([seen.appeals, seen.attempts_left, seen.link?.state], [[], 3, 'open']);
    assert.deepEqual((await list(id, first.token)).attempts_left, 2);
    assert.equal((await list(id, key)).appeals[0]?.link_id, first.id);
    // The same key and file through another link are another appeal.
    const twin = readAppeal(await appeal(id, second.token, ORIGINAL, { remark: 'my card' }, sameKey));
    assert.notEqual(twin.id, made.id);
    // Invalid requests block only their own link. A link gets another attempt every ten seconds, so that one request
    // of several is refused at any speed.
    const invalid: Answer[] = [];
    for (let times = 0; times < 12; times += 1)
      invalid.push(await appeal(id, first.token, Buffer.from('no image')));
    const blocked = invalid.find(({ status }) => status === 429);
    assert.ok(blocked);
    assertError(blocked, 429, 'rate_limited', /this link.* in \d+ s/);
    readAppeal(await appeal(id, second.token, ORIGINAL));
    readAppeal(await appeal(id, key, ORIGINAL));
    readAppeal(await appeal(id, second.token, ORIGINAL));
    assertError(await appeal(id, second.token, ORIGINAL), 409, 'too_many_appeals', /through this link/);
    assert.equal((await list(id, second.token)).link?.state, 'used_up');
  });

  it('arriving slowly through a link hold one place each, so other links and the account can still appeal', async () => {
    const key = await bench().newKey();
    const id = await check(key, await met());
    const [slow, quick] = [await newLink(id, key), await newLink(id, key)];
    const { hostname, port } = new URL(bench().url);
    const sockets = await Promise.all(
      [1, 2, 3].map(async () => {
        const socket = connect(Number(port), hostname);
        await once(socket, 'connect');
        socket.write(
          `POST /v1/checks/${id}/appeals HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${slow.token}\r\n` +
            'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 9000\r\n\r\n--b\r\n',
        );
        return socket;
      }),
    );
    readAppeal(await appeal(id, quick.token, ORIGINAL));
    readAppeal(await appeal(id, key, ORIGINAL));
    for (const socket of sockets) socket.destroy();
  });

  it('are no longer accepted or shown after their link was revoked; the account still sees them', async () => {
    const key = await bench().newKey();
    const id = await check(key, await met());
    const link = await newLink(id, key);
    const made = readAppeal(await appeal(id, link.token, ORIGINAL));
    const headers = { authorization: `Bearer ${key}` };
    const address = `${path(id, 'appeal-links')}/${link.id}`;
    const stranger = { authorization: `Bearer ${await bench().newKey()}` };
    assertError(await send(address, { method: 'DELETE', headers: stranger }), 404, 'not_found');
    const arrived = await pageAudit(bench().database, {
      accountId: await accountOf(key),
      what: 'appeal.received',
    });
    assert.deepEqual(
      arrived.rows.map(({ actor }) => [actor.kind, actor.name]),
      [['visitor', link.id]],
    );
    for (let times = 0; times < 2; times += 1) {
      const revoked = await send(address, { method: 'DELETE', headers });
      assert.match(revoked.text, /"state":"revoked"/);
    }
    const withToken = { authorization: `Bearer ${link.token}` };
    assertError(await send(path(id), { headers: withToken }), 401, 'unauthorized', /account .* revoked/);
    assertError(await appeal(id, link.token, ORIGINAL), 401, 'unauthorized', /revoked/);
    const links = await send(path(id, 'appeal-links'), { headers });
    assert.match(links.text, new RegExp(`"id":"${link.id}".*"state":"revoked","attempts_left":2`));
    assert.doesNotMatch(links.text, /apt_/);
    assert.deepEqual(
      (await list(id, key)).appeals.map((one) => one.id),
      [made.id],
    );
    const { rows } = await pageAudit(bench().database, {
      accountId: await accountOf(key),
      what: 'appeal_link',
    });
    assert.deepEqual(
      rows.map(({ what, after }) => [what, after?.['link']]),
      [
        ['appeal_link.revoked', link.id],
        ['appeal_link.created', link.id],
      ],
    );
  });

  it('can be withdrawn by their sender before the decision, and show the stored image to their link', async () => {
    const key = await bench().newKey();
    const id = await check(key, await met());
    const link = await newLink(id, key);
    const made = readAppeal(await appeal(id, link.token, OTHER));
    const remove = (bearer: string) =>
      send(`${path(id)}/${made.id}`, { method: 'DELETE', headers: { authorization: `Bearer ${bearer}` } });
    assertError(await remove((await newLink(id, key)).token), 404, 'not_found');
    assertError(await remove(key), 404, 'not_found');
    for (let times = 0; times < 2; times += 1)
      assert.match((await remove(link.token)).text, /"withdrawn_at":"20/);
    const seen = await list(id, link.token);
    assert.deepEqual([seen.attempts_left, seen.check.appeal, seen.check.image_stored], [2, null, true]);
    const image = await fetch(path(id, 'appeals/image'), {
      headers: { authorization: `Bearer ${link.token}` },
    });
    assert.deepEqual([image.status, image.headers.get('content-type')], [200, 'image/jpeg']);
    assert.equal((await sharp(Buffer.from(await image.arrayBuffer())).metadata()).width, 300);
  });
};

describeServiceOnEachDatabase('appeals through links', tests, {
  store: { kind: 'folder', path: makeFolder('appeal-links') },
});
