// Tests the audit log: every changing route records author, address, old and new value, and owners see their
// own entries.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pageAudit, type AuditEntry } from '../../../src/accounts/audit.js';
import type { ChangeName } from '../../../src/accounts/changes.js';
import { createAccount, findAccount } from '../../../src/accounts/accounts.js';
import { createKey } from '../../../src/accounts/keys.js';
import { findMembers } from '../../../src/accounts/members/members.js';
import type { AuditPage, KeyPage, NewInvitation, NewKey } from '../../../src/service/console/shapes.js';
import { CONSOLE_ROUTES } from '../../../src/service/console/router.js';
import { API_ROUTES } from '../../../src/service/http/routes.js';
import { addThresholds, keenBands } from '../../support/cleared.js';
import { callConsole, cookieOf, signIn, type ConsoleClient } from '../../support/console.js';
import { SCENE_JPEG } from '../../support/images.js';
import { describeServiceOnEachDatabase, postForm, send, type ServiceBench } from '../../support/service.js';
import { ROOT } from '../../support/telltale.js';

const ADDRESS = '203.0.113.9';
/** The trusted proxy added the last address. The first one was claimed by the client. */
const FROM = { 'x-forwarded-for': `198.51.100.1, ${ADDRESS}` };
const PASSWORD = 'correct horse battery staple';
const BOSS = { account: 'desk', email: 'boss@desk.example', role: 'operator', plan: 'scale' } as const;
const OWNER = { account: 'mill', email: 'owner@mill.example', role: 'owner', plan: 'scale' } as const;

type Call = () => Promise<{ readonly status: number; readonly text: string }>;

/** One changing route: what to prepare, the call, and the expected audit entry. */
interface Route {
  readonly what: ChangeName;
  /** Prepares the test and returns the call that changes something. */
  readonly prepare: (parts: Parts) => Call | Promise<Call>;
  readonly by?: string | null;
}

interface Parts {
  readonly bench: ServiceBench;
  readonly boss: ConsoleClient;
  readonly owner: ConsoleClient;
  /** Registers a text that the audit log must never contain, and returns it. */
  readonly secret: (text: string) => string;
}

let count = 0;
const fresh = (name: string): string => `${name} ${(count += 1)}`;
const call =
  (
    client: ConsoleClient,
    method: string,
    path: string,
    body?: unknown,
  ): (() => ReturnType<ConsoleClient['call']>) =>
  () =>
    client.call(method, path, body, FROM);
const otherAccount = async ({ bench }: Parts): Promise<string> =>
  (await createAccount(bench.database, fresh('other'), 'free')).id;
const newWebhook = async ({ owner }: Parts): Promise<string> => {
  const body = { url: 'https://hooks.example/canary-of-the-receiver', events: ['scan.finished'] };
  return (await owner.call<{ id: string }>('POST', '/webhooks', body)).body.id;
};
const newLink = async ({ owner, secret }: Parts): Promise<{ id: string; token: string }> => {
  const body = { email: `${fresh('guest').replace(' ', '')}@mill.example`, role: 'member' };
  const { id, url } = (await owner.call<NewInvitation>('POST', '/invitations', body)).body;
  return { id, token: secret(url.slice(url.indexOf('#') + 1)) };
};

const addKnown = (
  { bench, boss }: Parts,
  image: Uint8Array = SCENE_JPEG,
): Promise<{ readonly status: number; readonly text: string }> => {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(image)]), 'known.jpg');
  form.append('label', 'fake');
  const headers = { origin: bench.url, cookie: boss.cookie, ...FROM };
  return send(`${bench.url}/console/api/operator/known`, { method: 'POST', headers, body: form });
};

/** Changing routes by method and path, as declared in router.ts and app.ts. */
const CHANGING: Readonly<Record<string, Route>> = {
  'post /console/api/session': {
    what: 'sign_in.failed',
    by: null,
    prepare: ({ bench, secret }) => {
      const body = { email: OWNER.email, password: secret('a wrong password') };
      return () => callConsole(bench.url, 'POST', '/session', { body, headers: FROM });
    },
  },
  'post /console/api/links/follow': {
    what: 'sign_in.succeeded',
    by: 'guest',
    prepare: async (parts) => {
      const body = { token: (await newLink(parts)).token, password: parts.secret(PASSWORD) };
      return () => callConsole(parts.bench.url, 'POST', '/links/follow', { body, headers: FROM });
    },
  },
  'delete /console/api/checks/:id': {
    what: 'check.erased',
    prepare: async ({ owner }) => {
      const { body } = await owner.check(SCENE_JPEG);
      return call(owner, 'DELETE', `/checks/${body.id}`);
    },
  },
  'put /console/api/checks/status': {
    what: 'check.status_changed',
    prepare: async ({ owner }) => {
      const { body } = await owner.check(SCENE_JPEG);
      return call(owner, 'PUT', '/checks/status', { ids: [body.id], status: 'cleared' });
    },
  },
  'put /console/api/checks/:id/note': {
    what: 'check.status_changed',
    prepare: async ({ owner }) => {
      const { body } = await owner.check(SCENE_JPEG);
      return call(owner, 'PUT', `/checks/${body.id}/note`, { text: '', status: 'open' });
    },
  },
  'post /console/api/keys': {
    what: 'key.created',
    prepare:
      ({ owner, secret }) =>
      async () => {
        const body = { name: 'web', scopes: ['check'], expires: null };
        const made = await owner.call<NewKey>('POST', '/keys', body, FROM);
        secret(made.body.key);
        return made;
      },
  },
  'post /console/api/keys/:id/roll': {
    what: 'key.rolled',
    prepare: async ({ owner, bench, secret }) => {
      const { id } = await createKey(bench.database, { account: OWNER.account });
      return async () => {
        const rolled = await owner.call<NewKey>('POST', `/keys/${id}/roll`, { overlap: '24h' }, FROM);
        secret(rolled.body.key);
        return rolled;
      };
    },
  },
  'delete /console/api/keys/:id': {
    what: 'key.revoked',
    prepare: async ({ owner, bench }) => {
      const { id } = await createKey(bench.database, { account: OWNER.account });
      return call(owner, 'DELETE', `/keys/${id}`);
    },
  },
  'delete /console/api/members/:id': {
    what: 'member.removed',
    prepare: async (parts) => {
      const { token } = await newLink(parts);
      await callConsole(parts.bench.url, 'POST', '/links/follow', { body: { token, password: PASSWORD } });
      const [{ member } = {}] = await findMembers(parts.bench.database, `guest${count}@mill.example`);
      return call(parts.owner, 'DELETE', `/members/${member?.id}`);
    },
  },
  'post /console/api/invitations': {
    what: 'member.invited',
    prepare: ({ owner }) =>
      call(owner, 'POST', '/invitations', { email: 'new@mill.example', role: 'member' }),
  },
  'delete /console/api/invitations/:id': {
    what: 'member.invitation_withdrawn',
    prepare: async (parts) => call(parts.owner, 'DELETE', `/invitations/${(await newLink(parts)).id}`),
  },
  'post /console/api/webhooks': {
    what: 'webhook.created',
    prepare:
      ({ owner, secret }) =>
      async () => {
        const body = { url: 'https://hooks.example/canary-of-the-receiver', events: ['scan.finished'] };
        const made = await owner.call<{ id: string; secret: string }>('POST', '/webhooks', body, FROM);
        secret(made.body.secret);
        await owner.call('DELETE', `/webhooks/${made.body.id}`);
        return made;
      },
  },
  'delete /console/api/webhooks/:id': {
    what: 'webhook.deleted',
    prepare: async (parts) => call(parts.owner, 'DELETE', `/webhooks/${await newWebhook(parts)}`),
  },
  'put /console/api/webhooks/:id/events': {
    what: 'webhook.events_changed',
    prepare: async (parts) =>
      call(parts.owner, 'PUT', `/webhooks/${await newWebhook(parts)}/events`, { events: ['key.expiring'] }),
  },
  'post /console/api/webhooks/:id/rotate': {
    what: 'webhook.secret_rotated',
    prepare: async (parts) => call(parts.owner, 'POST', `/webhooks/${await newWebhook(parts)}/rotate`),
  },
  'post /console/api/webhooks/:id/enable': {
    what: 'webhook.enabled',
    prepare: async (parts) => call(parts.owner, 'POST', `/webhooks/${await newWebhook(parts)}/enable`),
  },
  'post /console/api/operator/accounts': {
    what: 'account.created',
    prepare: ({ boss }) => call(boss, 'POST', '/operator/accounts', { name: fresh('made'), plan: 'free' }),
  },
  'put /console/api/operator/accounts/:id/plan': {
    what: 'account.plan_changed',
    prepare: async (parts) =>
      call(parts.boss, 'PUT', `/operator/accounts/${await otherAccount(parts)}/plan`, { plan: 'growth' }),
  },
  'put /console/api/operator/accounts/:id/prefix': {
    what: 'account.prefix_changed',
    prepare: async (parts) =>
      call(parts.boss, 'PUT', `/operator/accounts/${await otherAccount(parts)}/prefix`, { prefix: 'a/' }),
  },
  'delete /console/api/operator/accounts/:id': {
    what: 'account.erased',
    prepare: async (parts) => call(parts.boss, 'DELETE', `/operator/accounts/${await otherAccount(parts)}`),
  },
  'delete /console/api/operator/keys/:id': {
    what: 'key.revoked',
    prepare: async ({ boss, bench }) => {
      const { id } = await createKey(bench.database, { account: OWNER.account });
      return call(boss, 'DELETE', `/operator/keys/${id}`);
    },
  },
  'put /console/api/operator/accounts/:id/seen': {
    what: 'account.hashes_changed',
    prepare: async (parts) =>
      call(parts.boss, 'PUT', `/operator/accounts/${await otherAccount(parts)}/seen`, { on: true }),
  },
  'post /console/api/operator/known': {
    what: 'known_image.added',
    prepare: (parts) => () => addKnown(parts),
  },
  'delete /console/api/operator/known/:id': {
    what: 'known_image.removed',
    prepare: async (parts) => {
      const image = readFileSync(join(ROOT, 'samples/portrait.png'));
      const { id } = JSON.parse((await addKnown(parts, image)).text) as { id: string };
      return call(parts.boss, 'DELETE', `/operator/known/${id}`);
    },
  },
  'post /console/api/operator/thresholds': {
    what: 'thresholds.requested',
    prepare: async (parts) => {
      const aims = { strict: 0.003, balanced: 0.01, sensitive: 0.05 };
      const body = { name: 'asked', aims, also_reported: false, account_ids: [await otherAccount(parts)] };
      return call(parts.boss, 'POST', '/operator/thresholds', body);
    },
  },
  'put /console/api/operator/thresholds/active': {
    what: 'thresholds.activated',
    prepare: async ({ boss, bench }) => {
      const id = await addThresholds(bench.database, 'keen', keenBands('keen'));
      return call(boss, 'PUT', '/operator/thresholds/active', { id });
    },
  },
  'delete /console/api/operator/thresholds/:id': {
    what: 'thresholds.deleted',
    prepare: async ({ boss, bench }) => {
      const id = await addThresholds(bench.database, 'spare', keenBands('spare'));
      return call(boss, 'DELETE', `/operator/thresholds/${id}`);
    },
  },
  'delete /v1/checks/:id': {
    what: 'check.erased',
    by: 'key',
    prepare: async ({ bench, secret }) => {
      const key = secret(await bench.newKey());
      const { id } = (await postForm(`${bench.url}/v1/check`, key, 'file', [SCENE_JPEG])).body;
      const headers = { authorization: `Bearer ${key}`, ...FROM };
      return () => send(`${bench.url}/v1/checks/${id}`, { method: 'DELETE', headers });
    },
  },
};

/**
 * Routes without an audit entry, each with the reason: it changes nothing that the log covers, or another
 * file tests it.
 */
const NOT_LOGGED: Readonly<Record<string, string>> = {
  'post /console/api/choice': 'signs in: openid-accounts.test.ts',
  'delete /console/api/session': 'signs out',
  'delete /console/api/sessions': 'signs out',
  'post /console/api/links/look': 'reads',
  'post /console/api/checks': 'a check is in the history',
  'post /console/api/preview': 'reads',
  'post /console/api/seen': 'reads',
  'put /console/api/checks/:id/claim': 'shown with the check',
  'delete /console/api/checks/:id/claim': 'shown with the check',
  'put /console/api/checks/:id/report': 'has its author in the history',
  'delete /console/api/checks/:id/report': 'concerns a check',
  'post /console/api/records/page': 'reads',
  'post /console/api/records/verify': 'reads',
  'post /console/api/scans': 'a scan has its author',
  'post /console/api/scans/folder': 'a scan has its author',
  'delete /console/api/scans/:id': 'cancels a scan',
  'put /console/api/scans/:id/items/:position': 'a check is in the history',
  'post /console/api/webhooks/:id/test': 'is in the log of deliveries',
  'post /console/api/webhooks/:id/deliveries/:delivery/redeliver': 'is in the log of deliveries',
  'post /mcp': 'a check is in the history',
  'post /v1/check': 'a check is in the history',
  'post /v1/check/batch': 'checks are in the history',
  'post /v1/checks/:id/feedback': 'has its author in the history',
  'post /console/api/operator/appeals/:id/decision': 'is logged: appeals.test.ts',
  'post /console/api/checks/:id/appeal-links': 'is logged: appeals.test.ts',
  'delete /console/api/checks/:id/appeal-links/:link': 'is logged: appeals.test.ts',
  'post /v1/checks/:id/appeal-links': 'is logged: appeals.test.ts',
  'delete /v1/checks/:id/appeal-links/:link': 'is logged: appeals.test.ts',
  'post /v1/checks/:id/appeals': 'is logged: appeals.test.ts',
  'delete /v1/checks/:id/appeals/:appeal': 'is logged: appeals.test.ts',
  'post /v1/seen': 'reads',
  'post /v1/scans': 'a scan has its author',
  'delete /v1/scans/:id': 'cancels a scan',
};

/** Returns the routes that may change something. */
function changingRoutes(): string[] {
  const source = readFileSync(join(ROOT, 'src/service/http/app.ts'), 'utf8');
  const declared = source.matchAll(/router\.(post|put|patch|delete)\(\s*'([^']+)'/g);
  const ofConsole = Object.values(CONSOLE_ROUTES).flat();
  const inTables = [...API_ROUTES, ...ofConsole.map((row) => ({ ...row, path: `/console/api${row.path}` }))];
  return [
    ...[...declared].map(([, method, path]) => `${method} ${path}`),
    ...inTables.filter(({ method }) => method !== 'get').map(({ method, path }) => `${method} ${path}`),
  ];
}

describe('HTTP routes that change data', () => {
  it('are all listed in this test, either as written to the audit log or as deliberately left out', () => {
    const known = [...Object.keys(CHANGING), ...Object.keys(NOT_LOGGED)];
    assert.deepEqual(changingRoutes().sort(), known.sort());
  });
});

describeServiceOnEachDatabase(
  'the audit log of the console and the HTTP API',
  (bench, kind) => {
    let parts: Parts;
    const secrets: string[] = [];
    const newest = async (): Promise<AuditEntry[]> => [...(await pageAudit(bench().database, {})).rows];

    before(async () => {
      const secret = (text: string): string => {
        secrets.push(text);
        return text;
      };
      const [boss, owner] = [await signIn(bench(), BOSS), await signIn(bench(), OWNER)];
      for (const { cookie } of [boss, owner]) secret(cookie.slice(cookie.indexOf('=') + 1));
      parts = { bench: bench(), boss, owner, secret };
    });

    for (const [route, { what, prepare, by }] of Object.entries(CHANGING)) {
      // Webhooks need PostgreSQL.
      if (kind === 'sqlite' && route.includes('webhooks')) continue;
      it(`contains an entry for the change made by ${route}`, async () => {
        const change = await prepare(parts);
        const last = (await newest())[0]?.id ?? '';
        const answer = await change();
        assert.ok(answer.status < 300 || what === 'sign_in.failed', answer.text);
        const written = (await newest()).filter(({ id }) => id > last);
        const entry = written.find((one) => one.what === what);
        assert.ok(entry, `no ${what} among ${written.map((one) => one.what).join(', ')}`);
        const { kind, name, address } = entry.actor;
        assert.equal(address, ADDRESS);
        const isOperator = route.includes('/operator/');
        if (by === 'key') assert.deepEqual([kind, name?.length], ['key', 8]);
        else if (by === 'guest') assert.deepEqual([kind, name], ['member', `guest${count}@mill.example`]);
        else if (by === null) assert.deepEqual([kind, name], ['visitor', null]);
        else assert.deepEqual([kind, name], ['member', (isOperator ? BOSS : OWNER).email]);
      });
    }

    it('contains no key, password, token, cookie or other secret', async () => {
      const rows = JSON.stringify(await bench().database.run((queries) => queries('audit_log').select()));
      assert.ok(secrets.length >= 6);
      for (const secret of secrets) assert.ok(!rows.includes(secret), secret);
      assert.doesNotMatch(rows, /canary|argon2|tt_live_/);
    });

    it('shows owners only the entries of their own account, and hides who the operator is', async () => {
      const { boss, owner } = parts;
      const mill = (await findAccount(bench().database, OWNER.account))!;
      await boss.call('PUT', `/operator/accounts/${mill.id}/plan`, { plan: 'growth' });
      const { body } = await owner.call<AuditPage>('GET', '/audit');
      assert.ok(body.entries.length > 5);
      assert.deepEqual([...new Set(body.entries.map(({ account }) => account?.name))], [OWNER.account]);
      const [changed] = body.entries;
      assert.deepEqual(
        [changed?.what, changed?.by, changed?.before, changed?.after],
        [
          'account.plan_changed',
          { kind: 'operator', name: null, address: null },
          { plan: 'scale' },
          { plan: 'growth' },
        ],
      );
      const failed = body.entries.find(({ what }) => what === 'sign_in.failed');
      assert.deepEqual(failed?.by, { kind: 'visitor', name: null, address: ADDRESS });
      const member = await signIn(bench(), { ...OWNER, email: 'plain@mill.example', role: 'member' });
      assert.equal((await member.call('GET', '/audit')).status, 403);
      assert.equal((await owner.call('GET', '/operator/audit')).status, 403);
      assert.equal((await callConsole(bench().url, 'GET', '/audit')).status, 401);
    });

    it('is returned in pages, can be filtered, and refuses invalid filter values', async () => {
      const {
        boss,
        bench: { database },
      } = parts;
      const account = fresh('paged');
      const today = (): string => new Date().toISOString().slice(0, 10);
      // The day may change while the keys are created.
      const from = today();
      for (let key = 0; key < 120; key += 1) await createKey(database, { account, plan: 'free' });
      const list = (query: string) => boss.call<AuditPage>('GET', `/operator/audit?${query}`);
      const of = `account=${encodeURIComponent(account)}`;
      const first = (await list(of)).body;
      const second = (await list(`${of}&before=${first.next}`)).body;
      assert.deepEqual([first.entries.length, second.entries.length, second.next], [100, 22, null]);
      assert.deepEqual(
        second.entries.slice(-3).map(({ what }) => what),
        ['account.plan_changed', 'key.created', 'account.created'],
      );
      assert.equal((await list(`${of}&what=account`)).body.entries.length, 2);
      assert.equal((await list(`${of}&what=account.plan_changed`)).body.entries.length, 1);
      assert.equal((await list(`${of}&to=2020-01-01`)).body.entries.length, 0);
      assert.equal((await list(`${of}&from=${from}&to=${today()}`)).body.entries.length, 100);
      for (const query of ['what=nothing', 'from=yesterday', 'before=1', 'account=nobody', 'limit=3'])
        assert.equal((await list(query)).status, 400, query);
      assert.equal((await parts.owner.call('GET', `/audit?${of}`)).status, 400);
      assert.equal((await boss.call<KeyPage>('GET', '/operator/keys')).status, 200);
    });

    it('contains each password sign-in of a member, and a single entry for all attempts beyond the limit', async () => {
      const { token } = await newLink(parts);
      const email = `guest${count}@mill.example`;
      await callConsole(bench().url, 'POST', '/links/follow', { body: { token, password: PASSWORD } });
      const tryOnce = (password: string) =>
        callConsole(bench().url, 'POST', '/session', { body: { email, password }, headers: FROM });
      assert.notEqual(cookieOf(await tryOnce(PASSWORD)), '');
      for (let tries = 0; tries < 14; tries += 1) await tryOnce('wrong wrong wrong');
      const about = (await newest()).filter(({ subject }) => subject === email).map(({ what }) => what);
      assert.deepEqual(about, [
        'sign_in.blocked',
        ...Array<string>(10).fill('sign_in.failed'),
        'sign_in.succeeded',
        'sign_in.succeeded',
        'member.joined',
        'member.invited',
      ]);
    });
  },
  { proxies: 1 },
);
