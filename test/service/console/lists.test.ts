// Tests limits on what a member can make the service read and write: lists in pages, and the request rate.
import assert from 'node:assert/strict';
import type Router from '@koa/router';
import { createLink, MAX_INVITATIONS } from '../../../src/accounts/members/links.js';
import { findAccount, AccountFault } from '../../../src/accounts/accounts.js';
import { loadPlans } from '../../../src/accounts/plans.js';
import type { Services } from '../../../src/service/services.js';
import { createConsole } from '../../../src/service/console/router.js';
import type { Accounts, KeyPage, Members, NewInvitation } from '../../../src/service/console/shapes.js';
import type { ThresholdsPage } from '../../../src/service/console/shapes.js';
import type { RequestState } from '../../../src/service/http/state.js';
import { signIn, type Reply, type ConsoleClient } from '../../support/console.js';
import { describeServiceOnEachDatabase } from '../../support/service.js';

/** Routes with other limits, because people who sign in or out have no session yet. */
const OTHER_LIMITS = ['/session', '/choice', '/links/look', '/links/follow'];

describeServiceOnEachDatabase('the console API under many entries or requests', (service) => {
  let operator: ConsoleClient;
  let accountId: string;

  before(async () => {
    const { database } = service();
    const person = { account: 'acme', email: 'olga@acme.example', role: 'operator', plan: 'growth' } as const;
    operator = await signIn(service(), person);
    accountId = (await findAccount(database, 'acme'))!.id;
  });

  /** Returns every page of a list. */
  const readAll = async <T extends { next: string | null }>(path: string, place: string): Promise<T[]> => {
    const pages: T[] = [];
    for (let next: string | null = ''; next !== null; next = pages.at(-1)!.next) {
      const reply: Reply<T> = await operator.call<T>('GET', next === '' ? path : `${path}?${place}=${next}`);
      assert.equal(reply.status, 200, reply.text);
      assert.ok(pages.length < 9, `${path} has no end`);
      pages.push(reply.body);
    }
    return pages;
  };
  const insert = (table: string, rows: object[]) =>
    service().database.run((queries) => queries.batchInsert(table, rows, 50));
  const digits = (index: number): string => String(index).padStart(26, '0');

  it('returns lists in pages of 100 entries that together contain every entry', async () => {
    const many = Array.from({ length: 250 }, (_, index) => index);
    await insert(
      'members',
      many.map((index) => ({
        id: `mem_${digits(index)}`,
        account_id: accountId,
        email: `m${index}@acme.example`,
        address: `m${index}@acme.example`,
        role: 'member',
        created_at: index,
      })),
    );
    await insert(
      'api_keys',
      many.map((index) => ({
        id: `k${String(index).padStart(7, '0')}`,
        account_id: accountId,
        name: `key ${index}`,
        plan: 'growth',
        scopes: 'check',
        hash: `hash ${index}`,
        // Several rows share one millisecond.
        created_at: Math.floor(index / 40),
      })),
    );
    await insert(
      'accounts',
      many.map((index) => ({ id: `acc_${digits(index)}`, name: `account ${index}`, created_at: index })),
    );
    await insert(
      'corrections',
      many.map((index) => ({
        id: `thr_${digits(index)}`,
        name: `t${index}`,
        wanted: '{}',
        state: 'ready',
        made_by: 'olga@acme.example',
        created_at: index,
        tries: 1,
        seen: 0,
        pictures: 0,
      })),
    );
    await service().database.run((queries) =>
      queries('correction_in_force').insert({ slot: 1, correction_id: `thr_${digits(3)}` }),
    );
    const thresholds = await readAll<ThresholdsPage>('/operator/thresholds', 'before');
    for (const page of thresholds) assert.deepEqual(page.active, { id: `thr_${digits(3)}`, name: 't3' });
    await service().database.run((queries) => queries('correction_in_force').delete());
    const members = await readAll<Members>('/members', 'after');
    const keys = await readAll<KeyPage>('/keys', 'before');
    const allKeys = await readAll<KeyPage>('/operator/keys', 'before');
    const accounts = await readAll<Accounts>('/operator/accounts', 'after');
    for (const [lengths, least] of [
      [members.map((page) => page.members.length), 251],
      [keys.map((page) => page.keys.length), 250],
      [allKeys.map((page) => page.keys.length), 250],
      [accounts.map((page) => page.accounts.length), 251],
      [thresholds.map((page) => page.thresholds.length), 250],
    ] as const) {
      assert.deepEqual([lengths.length, lengths[0]], [3, 100]);
      assert.ok(lengths.reduce((sum, length) => sum + length, 0) >= least);
    }
    const seen = keys.flatMap((page) => page.keys.map(({ id }) => id));
    assert.equal(new Set(seen).size, seen.length);
    const own = accounts.flatMap((page) => page.accounts).find(({ id }) => id === accountId);
    assert.deepEqual([own?.members, own?.keys], [251, 250]);
  });

  it('limits an account to 100 open invitations, even with concurrent requests', async () => {
    const { database } = service();
    const invite = (email: string) =>
      createLink(database, { purpose: 'invitation', accountId, email, role: 'member', by: 'owner' });
    for (let index = 0; index < MAX_INVITATIONS - 1; index += 1) await invite(`i${index}@acme.example`);
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((name) => invite(`${name}@acme.example`)));
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof AccountFault);
    const more = await operator.call('POST', '/invitations', { email: 'more@acme.example', role: 'member' });
    assert.equal(more.status, 400, more.text);
    assert.match(more.text, /maximum of 100 open invitations/);
    // A new link for an invited person replaces the old link.
    const again = { email: 'i0@acme.example', role: 'member' };
    assert.equal((await operator.call<NewInvitation>('POST', '/invitations', again)).status, 201);
  });

  it('counts requests that change data on every console route against the rate limit of the plan', async () => {
    const deps = { publicUrl: null, openId: null, plans: loadPlans() } as unknown as Services;
    const router: Router<RequestState> = createConsole(deps);
    const writing = router.stack.flatMap(({ methods, path }) =>
      methods
        .filter((method) => !['GET', 'HEAD'].includes(method))
        .map((method) => ({ method, path: String(path).replace('/console/api', '').replace(/:\w+/g, 'x') })),
    );
    const routes = writing.filter(({ path }) => path.startsWith('/') && !OTHER_LIMITS.includes(path));
    assert.ok(routes.length > 20, String(routes.length));
    // The account's bucket becomes full so late that it is empty now, but not so late that the clock must
    // have been set back.
    const full = Date.now() + 45_000;
    await operator.call('DELETE', '/keys/x');
    await service().database.run((queries) =>
      queries('rate_limits')
        .insert({ account_id: accountId, plan: 'growth', full_at: full })
        .onConflict()
        .ignore(),
    );
    await service().database.run((queries) => queries('rate_limits').update({ full_at: full }));
    for (const { method, path } of routes) {
      const { status, text } = await operator.call(method, path);
      assert.equal(status, 429, `${method} ${path}: ${text}`);
    }
    assert.equal((await operator.call('GET', '/keys')).status, 200);
  });
});
