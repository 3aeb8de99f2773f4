// Tests the console API: checks made by hand, roles and attacks.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type {
  Accounts,
  CheckPage,
  Health,
  Me,
  Members,
  NewInvitation,
  NewKey,
  ShownAccount,
  KeyPage,
  Usage,
} from '../../../src/service/console/shapes.js';
import { makeFolder } from '../../support/folders.js';
import { fixture, ROOT } from '../../support/telltale.js';
import { callConsole, cookieOf, clientOf, signIn } from '../../support/console.js';
import { makeLink, type Person } from '../../support/browser.js';
import { describeServiceOnEachDatabase, openBench, postForm, send } from '../../support/service.js';

const portrait = readFileSync(`${ROOT}/samples/portrait.png`);
const tiff = readFileSync(fixture('tiff/scene.tif'));

const ann: Person = { account: 'acme', email: 'ann@acme.example', role: 'owner' };
const bob: Person = { account: 'globex', email: 'bob@globex.example', role: 'owner' };

describeServiceOnEachDatabase('the console API', (bench) => {
  const url = (): string => bench().url;

  it('runs checks like /v1, charges them to the account and marks them as made by hand', async () => {
    const client = await signIn(bench(), ann);
    const used = async (): Promise<number> => (await client.call<Usage>('GET', '/usage')).body.plans[0]!.used;
    const before = await used();
    const key = await bench().newKey({ account: ann.account, plan: 'growth' });
    const byHand = await client.check(portrait, '?store=true');
    const byKey = await postForm(`${url()}/v1/check`, key, 'file', [portrait]);
    assert.equal(byHand.status, 200, byHand.text);
    assert.deepEqual(byHand.body.scores, byKey.body.scores);
    assert.deepEqual(Object.keys(byHand.body), Object.keys(byKey.body));
    assert.equal((await client.check(Buffer.from('no image'))).status, 415);
    assert.equal(await used(), before + 2);
    const [latest, first] = (await client.call<CheckPage>('GET', '/checks')).body.checks;
    assert.ok(latest && first);
    assert.deepEqual([latest.id, latest.member, latest.image_stored], [byKey.body.id, null, false]);
    assert.equal(latest.key?.name, 'default');
    assert.deepEqual([first.id, first.member, first.key], [byHand.body.id, ann.email, null]);
    assert.deepEqual(first.scores, byHand.body.scores);
    assert.equal(first.reason, byHand.body.reason);
  });

  it('rejects API keys, and /v1 rejects console sessions', async () => {
    const client = await signIn(bench(), ann);
    const key = await bench().newKey({ account: ann.account, plan: 'growth' });
    const usage = await send(`${url()}/v1/usage`, { headers: { cookie: client.cookie } });
    assert.equal(usage.status, 401);
    const checks = await callConsole(url(), 'GET', '/checks', {
      headers: { authorization: `Bearer ${key}` },
    });
    assert.deepEqual([checks.status, checks.body.error.code], [401, 'unauthorized']);
  });

  it('rejects requests that change data if they come from a page of another origin or have no Origin header', async () => {
    const client = await signIn(bench(), ann);
    const keysBefore = (await client.call<KeyPage>('GET', '/keys')).body.keys.length;
    const body = { name: 'forged', scopes: ['check'], expires: null };
    for (const origin of ['https://evil.example', 'null', '', `${url()}.evil.example`]) {
      const forged = await client.call('POST', '/keys', body, { origin });
      assert.deepEqual([forged.status, forged.body.error.code], [400, 'invalid_request'], origin);
      // For a form on another site, the browser sends no preflight request.
      assert.equal((await client.check(portrait, '', { origin })).status, 400);
      assert.equal(
        (await callConsole(url(), 'POST', '/session', { body: {}, headers: { origin } })).status,
        400,
      );
    }
    const asText = await client.call('POST', '/keys', body, { 'content-type': 'text/plain' });
    assert.equal(asText.status, 415);
    assert.equal((await client.call<KeyPage>('GET', '/keys')).body.keys.length, keysBefore);
    assert.equal((await client.call('POST', '/keys', body)).status, 201);
  });

  it('issues a new session at every sign-in and ignores session values chosen by the browser', async () => {
    const fixed = `telltale_session=${'a'.repeat(43)}`;
    const token = (await makeLink(bench().database, url(), ann)).split('#')[1];
    const entered = await callConsole(url(), 'POST', '/links/follow', { body: { token }, cookie: fixed });
    assert.equal(entered.status, 204);
    assert.notEqual(cookieOf(entered), fixed);
    assert.equal((await clientOf(url(), fixed).call('GET', '/me')).status, 204, 'nobody');
    const header = entered.headers.getSetCookie()[0] ?? '';
    assert.match(header, /; path=\/; samesite=lax; httponly$/i);
    const client = clientOf(url(), cookieOf(entered));
    assert.equal((await client.call<Me>('GET', '/me')).body.member.email, ann.email);
    await client.call('DELETE', '/session');
    assert.equal((await client.call('GET', '/me')).status, 204);
  });

  it('ends every session of a member who signs out everywhere', async () => {
    const [here, there] = [await signIn(bench(), ann), await signIn(bench(), ann)];
    assert.equal((await here.call('DELETE', '/sessions')).status, 204);
    assert.equal((await there.call('GET', '/checks')).status, 401);
  });

  it('limits password guesses, and responds in the same way to known and unknown email addresses', async () => {
    const link = await makeLink(bench().database, url(), { ...ann, email: 'eve@acme.example' }, 'invitation');
    const password = 'correct horse battery staple';
    const token = link.split('#')[1];
    const short = await callConsole(url(), 'POST', '/links/follow', { body: { token, password: 'short' } });
    assert.deepEqual([short.status, short.body.error.code], [400, 'invalid_request']);
    assert.equal(
      (await callConsole(url(), 'POST', '/links/follow', { body: { token, password } })).status,
      204,
    );
    const over = await callConsole(url(), 'POST', '/links/follow', { body: { token, password } });
    assert.deepEqual([over.status, over.body.error.code], [404, 'not_found']);
    const enter = (email: string, guess: string) =>
      callConsole(url(), 'POST', '/session', { body: { email, password: guess } });
    assert.equal((await enter('EVE@acme.example', password)).status, 204);
    const wrong = await enter('eve@acme.example', 'wrong');
    const unknown = await enter('nobody@acme.example', 'wrong');
    // Only the request ids may differ.
    assert.deepEqual({ ...wrong.body.error, request_id: '' }, { ...unknown.body.error, request_id: '' });
    for (let at = 0; at < 9; at += 1)
      assert.equal((await enter('eve@acme.example', `guess ${at}`)).status, 401);
    const stopped = await enter('eve@acme.example', password);
    assert.deepEqual([stopped.status, stopped.body.error.code], [429, 'rate_limited']);
    assert.ok(Number(stopped.headers.get('retry-after')) > 600);
  });

  it('shows the members of an account no data of another account', async () => {
    const mine = await signIn(bench(), ann);
    const theirs = await signIn(bench(), bob);
    const { body } = await mine.check(portrait, '?store=true');
    const key = (await mine.call<NewKey>('POST', '/keys', { name: 'mine', scopes: ['check'], expires: null }))
      .body;
    const report = { label: 'generated', note: '' };
    assert.equal((await mine.call('GET', `/checks/${body.id}/image`)).status, 200);
    for (const [method, path, sent] of [
      ['GET', `/checks/${body.id}/image`],
      ['PUT', `/checks/${body.id}/report`, report],
      ['DELETE', `/checks/${body.id}/report`],
      ['DELETE', `/keys/${key.id}`],
    ] as const)
      assert.equal((await theirs.call(method, path, sent)).status, 404, `${method} ${path}`);
    assert.deepEqual((await theirs.call<CheckPage>('GET', `/checks?id=${body.id}`)).body.checks, []);
    assert.deepEqual((await theirs.call('GET', '/keys')).body, { keys: [], next: null });
    assert.equal((await theirs.call<Usage>('GET', '/usage')).body.plans[0]?.used, 0);
    const people = (await theirs.call<Members>('GET', '/members')).body.members;
    assert.deepEqual(
      people.map(({ email }) => email),
      [bob.email],
    );
    const other = (await mine.call<Me>('GET', '/me')).body.account.id;
    const invitation = { email: 'x@globex.example', role: 'member', account_id: other };
    assert.equal((await theirs.call('POST', '/invitations', invitation)).body.error.code, 'forbidden');
  });

  it('forbids members the owner’s routes and owners the operator’s routes', async () => {
    const member = await signIn(bench(), { ...ann, email: 'mia@acme.example', role: 'member' });
    for (const path of ['/keys', '/members', '/operator/accounts', '/operator/health']) {
      const { status, body } = await member.call('GET', path);
      assert.deepEqual([status, body.error.code], [403, 'forbidden'], path);
    }
    assert.equal((await member.call('GET', '/checks')).status, 200);
    const owner = await signIn(bench(), ann);
    for (const path of ['/operator/accounts', '/operator/keys', '/operator/health'])
      assert.equal((await owner.call('GET', path)).status, 403, path);
    const promoted = await owner.call('POST', '/invitations', {
      email: 'new@acme.example',
      role: 'operator',
    });
    assert.equal(promoted.status, 400);
    const operator = await signIn(bench(), { account: 'house', email: 'op@house.example', role: 'operator' });
    const health = (await operator.call<Health>('GET', '/operator/health')).body;
    assert.deepEqual([health.engine.device, health.trust.can_verify], ['cpu', true]);
    const created = await operator.call<ShownAccount>('POST', '/operator/accounts', {
      name: 'new <b>account</b>',
      plan: 'starter',
    });
    const planned = await operator.call('PUT', `/operator/accounts/${created.body.id}/plan`, {
      plan: 'growth',
    });
    assert.deepEqual([created.status, planned.status], [201, 204]);
    const path = `/operator/accounts/${created.body.id}/prefix`;
    const set = async (by: typeof owner, prefix: string) => (await by.call('PUT', path, { prefix })).status;
    assert.deepEqual([await set(operator, 'acme'), await set(owner, '/')], [204, 403]);
    const { accounts } = (await operator.call<Accounts>('GET', '/operator/accounts')).body;
    const shown = accounts.find(({ id }) => id === created.body.id);
    assert.deepEqual([shown?.plan, shown?.scan_prefix], ['growth', 'acme/']);
    assert.equal(
      (await operator.call('POST', '/operator/accounts', { name: 'x', plan: 'gold' })).status,
      400,
    );
  });

  it('revokes an API key so that the next request with the key is refused', async () => {
    const client = await signIn(bench(), ann);
    const made = (
      await client.call<NewKey>('POST', '/keys', { name: 'short-lived', scopes: ['usage'], expires: null })
    ).body;
    const use = () => send(`${url()}/v1/usage`, { headers: { authorization: `Bearer ${made.key}` } });
    assert.equal((await use()).status, 200);
    assert.equal((await client.call('DELETE', `/keys/${made.id}`)).status, 200);
    await new Promise((resolve) => setTimeout(resolve, 600));
    assert.equal((await use()).status, 401);
    const listed = (await client.call<KeyPage>('GET', '/keys')).body.keys.find(({ id }) => id === made.id);
    assert.ok(listed?.revoked_at && listed.last_used_at);
    assert.equal('key' in listed, false);
    for (const expires of ['2020-01-01', 'tomorrow'])
      assert.equal(
        (await client.call('POST', '/keys', { name: 'x', scopes: ['check'], expires })).status,
        400,
      );
  });

  it('creates sandbox keys without scopes, and refuses to create other keys without scopes', async () => {
    const client = await signIn(bench(), ann);
    const body = { name: 'for tests', scopes: [], expires: null };
    const { status, body: made } = await client.call<NewKey>('POST', '/keys', { ...body, sandbox: true });
    assert.equal(status, 201);
    assert.match(made.key, /^tt_test_/);
    assert.deepEqual(made.scopes, ['sandbox']);
    for (const refused of [body, { ...body, sandbox: false }, { ...body, sandbox: 1 }])
      assert.equal((await client.call('POST', '/keys', refused)).status, 400);
  });

  it('converts images in formats that browsers cannot show to a preview, and does not charge for the preview', async () => {
    const client = await signIn(bench(), ann);
    const before = (await client.call<Usage>('GET', '/usage')).body.plans[0]!.used;
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(tiff)]), 'scene.tif');
    const headers = { origin: url(), cookie: client.cookie };
    const drawn = await fetch(`${url()}/console/api/preview`, { method: 'POST', headers, body: form });
    assert.deepEqual([drawn.status, drawn.headers.get('content-type')], [200, 'image/png']);
    assert.equal(Buffer.from(await drawn.arrayBuffer()).toString('latin1', 1, 4), 'PNG');
    const { body } = await client.check(tiff, '?store=true');
    const kept = await fetch(`${url()}/console/api/checks/${body.id}/image`, { headers });
    assert.deepEqual([kept.status, kept.headers.get('content-type')], [200, 'image/png']);
    assert.equal((await client.call<Usage>('GET', '/usage')).body.plans[0]?.used, before + 1);
  });

  it('serves no uploaded file as executable content, and forbids other sites to show console pages in frames', async () => {
    const client = await signIn(bench(), ann);
    for (const text of [
      '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
      '<!doctype html><p>',
    ]) {
      const refused = await client.check(Buffer.from(text), '?store=true');
      assert.equal(refused.body.error.code, 'unsupported_format');
    }
    // An image followed by markup must be served as an image in a sandbox, so that browsers do not guess
    // another type.
    const { body } = await client.check(
      Buffer.concat([portrait, Buffer.from('<script>alert(1)</script>')]),
      '?store=true',
    );
    const kept = await client.call('GET', `/checks/${body.id}/image`);
    assert.equal(kept.headers.get('content-type'), 'image/png');
    assert.equal(kept.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(kept.headers.get('content-security-policy'), "default-src 'none'; sandbox");
    const page = await fetch(url());
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'.*script-src 'self'; style-src 'self';.*frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe/);
    assert.equal(page.headers.get('x-frame-options'), 'DENY');
    for (const name of ['..%2findex.html', 'nothing.js', '%2e%2e%2f%2e%2e%2fcli.js'])
      assert.equal((await fetch(`${url()}/console/assets/${name}`)).status, 404);
  });
});

describe('the console behind a proxy, with the check history switched off', () => {
  it('sets Secure cookies, builds links with the public address and stores no check', async () => {
    const publicUrl = 'https://telltale.example';
    const path = join(makeFolder('proxy'), 'a.sqlite');
    const database = { kind: 'sqlite', path } as const;
    const bench = await openBench(database, { publicUrl, proxies: 2, historyDays: 0 });
    try {
      const headers = { origin: publicUrl, 'x-forwarded-for': 'forged, 198.51.100.7, 10.0.0.2' };
      const token = (await makeLink(bench.database, bench.url, ann)).split('#')[1];
      const { status } = await callConsole(bench.url, 'POST', '/links/follow', { body: { token } });
      assert.equal(status, 400, 'another origin than the public one');
      const entered = await callConsole(bench.url, 'POST', '/links/follow', { body: { token }, headers });
      assert.match(entered.headers.getSetCookie()[0] ?? '', /; secure; httponly$/i);
      const from = await bench.database.run((queries) => queries('sign_in_networks').pluck('network'));
      assert.deepEqual(from, ['198.51.100.7'], 'what the outer one of two proxies adds');
      const client = clientOf(bench.url, cookieOf(entered));
      const wanted = { email: 'n@acme.example', role: 'member' };
      const invited = await client.call<NewInvitation>('POST', '/invitations', wanted, headers);
      assert.match(invited.body.url, /^https:\/\/telltale\.example\/invitation#[\w-]{43}$/);
      assert.equal((await client.check(portrait, '', headers)).status, 200);
      assert.deepEqual((await client.call('GET', '/checks')).body, { checks: [], next: null });
      assert.equal((await client.call<Usage>('GET', '/usage')).body.plans[0]?.used, 1);
    } finally {
      await bench.close();
    }
  });
});

describe('the built console pages', () => {
  it('have at most 170 kB of compressed JavaScript and no inline script', () => {
    const folder = join(ROOT, 'dist/pages');
    // The scripts of the /docs page are left out, because only that page loads the large Redoc library.
    const scripts = readdirSync(join(folder, 'assets')).filter((name) => /^(?!docs|redoc).*\.js$/.test(name));
    const sizes = scripts.map((name) => gzipSync(readFileSync(join(folder, 'assets', name))).byteLength);
    assert.ok(sizes.length > 0 && sizes.reduce((sum, size) => sum + size, 0) <= 170_000, sizes.join(', '));
    const html = readFileSync(join(folder, 'index.html'), 'utf8');
    assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)|<style|\bon\w+=|https?:/);
  });
});
