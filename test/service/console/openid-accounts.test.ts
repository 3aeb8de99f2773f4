// Tests one person with several accounts: what an owner may do with an address, and what the person may
// choose.
import assert from 'node:assert/strict';
import type { Choice, Me, Members, NewInvitation, ShownLink } from '../../../src/service/console/shapes.js';
import { findMembers } from '../../../src/accounts/members/members.js';
import { callConsole, signIn, type ConsoleClient } from '../../support/console.js';
import { makeFolder } from '../../support/folders.js';
import { join, PASSWORD } from '../../support/members.js';
import { startProvider, type RunningProvider } from '../../support/openid-provider.js';
import { freePort, openAt, OPENID_START, Visitor } from '../../support/openid-visitor.js';
import type { ServiceBench } from '../../support/service.js';

const CFO = 'cfo@victim.example';

describe('OpenID Connect sign-in of a person whom several accounts invited', () => {
  const folder = makeFolder('accounts');
  let provider: RunningProvider;
  let bench: ServiceBench;
  let evil: ConsoleClient;
  let victim: ConsoleClient;

  before(async () => {
    const port = await freePort();
    const identities = new Map([['cfo', { email: 'CFO@victim.example', email_verified: true }]]);
    provider = await startProvider(`http://127.0.0.1:${port}/console/oidc/callback`, identities, () => 'cfo');
    bench = await openAt(folder, port, provider.issuer);
    evil = await signIn(bench, { account: 'evil', email: 'eve@evil.example', role: 'owner' });
    victim = await signIn(bench, { account: 'victim', email: 'it@victim.example', role: 'owner' });
  });
  after(async () => {
    await bench.close();
    provider.close();
  });

  const invite = async (owner: ConsoleClient): Promise<string> => {
    const answer = await owner.call<NewInvitation>('POST', '/invitations', { email: CFO, role: 'member' });
    assert.equal(answer.status, 201, answer.text);
    return answer.body.url.slice(answer.body.url.indexOf('#') + 1);
  };
  const come = async (): Promise<{ visitor: Visitor; end: string }> => {
    const visitor = new Visitor();
    const end = await visitor.follow(bench.url + OPENID_START);
    return { visitor, end: end.slice(bench.url.length) };
  };
  const accountOf = async (visitor: Visitor): Promise<string> =>
    (await visitor.client(bench.url).call<Me>('GET', '/me')).body.account.name;
  /**
   * Creates a membership from the time before a provider was configured, when the account's owner chose the
   * password.
   */
  const joinByPassword = async (account: string): Promise<void> => {
    const id = await bench.database.run((queries) =>
      queries('accounts').where({ name: account }).first<{ id: string }>('id'),
    );
    await join(bench.database, CFO, { accountId: id.id, by: 'owner' });
  };

  it('offers no password to a person who joins an account, only sign-in through the provider', async () => {
    const token = await invite(evil);
    const look = await callConsole<ShownLink>(bench.url, 'POST', '/links/look', { body: { token } });
    assert.equal(look.body.openid, true);
    const followed = await callConsole(bench.url, 'POST', '/links/follow', {
      body: { token, password: PASSWORD },
    });
    assert.deepEqual([followed.status, followed.body.error.code], [400, 'invalid_request']);
    assert.deepEqual(await findMembers(bench.database, CFO), []);
  });

  it('joins only the account that the person chose, and another account may still invite the person', async () => {
    const alone = await come();
    assert.equal(alone.end, '/choice');
    assert.equal((await alone.visitor.client(bench.url).call('GET', '/me')).status, 204);
    await invite(victim);
    const { visitor, end } = await come();
    assert.equal(end, '/choice');
    const { body } = await visitor.call<Choice>(bench.url, 'GET', '/choice');
    assert.equal(body.email, CFO);
    assert.deepEqual(
      body.accounts.map(({ name, is_member }) => [name, is_member]),
      [
        ['evil', false],
        ['victim', false],
      ],
    );
    const wanted = { account_id: body.accounts[1]?.id };
    const elsewhere = await callConsole(bench.url, 'POST', '/choice', { body: wanted });
    assert.equal(elsewhere.status, 404, 'only in the browser that signed in');
    const nowhere = await visitor.call(bench.url, 'POST', '/choice', { account_id: 'acc_other' });
    assert.equal(nowhere.status, 404);
    assert.equal((await visitor.call(bench.url, 'POST', '/choice', wanted)).status, 204);
    assert.equal(await accountOf(visitor), 'victim');
    assert.equal((await visitor.call(bench.url, 'GET', '/choice')).status, 404, 'it is made once');
  });

  it('leads directly to the person’s only account if no other invitation is open', async () => {
    assert.equal((await come()).end, '/choice', 'evil still invites');
    const { body } = await evil.call<Members>('GET', '/members');
    await evil.call('DELETE', `/invitations/${body.invitations[0]?.id ?? ''}`);
    const { visitor, end } = await come();
    assert.equal(end, '/');
    assert.equal(await accountOf(visitor), 'victim');
  });

  it('does not lead to a membership with a password until an invitation converts that membership', async () => {
    await joinByPassword('evil');
    const { visitor, end } = await come();
    assert.equal(end, '/');
    assert.equal(await accountOf(visitor), 'victim');
    const listed = async () =>
      (await evil.call<Members>('GET', '/members')).body.members.find(({ email }) => email === CFO);
    assert.equal((await listed())?.is_unverified, true);
    const body = { email: CFO, password: PASSWORD };
    const entered = await callConsole(bench.url, 'POST', '/session', { body });
    assert.equal(entered.status, 204);

    await invite(evil);
    const again = await come();
    const choice = await again.visitor.call<Choice>(bench.url, 'GET', '/choice');
    const account = choice.body.accounts.find(({ name }) => name === 'evil');
    assert.equal(account?.is_member, false);
    await again.visitor.call(bench.url, 'POST', '/choice', { account_id: account.id });
    assert.equal(await accountOf(again.visitor), 'evil');
    assert.equal((await listed())?.is_unverified, false);
    const late = await callConsole(bench.url, 'POST', '/session', { body });
    assert.equal(late.status, 401, 'whoever chose the password is out');
    const cookie = entered.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    assert.equal((await callConsole(bench.url, 'GET', '/me', { cookie })).status, 204);
  });

  it('is refused if the email address belongs only to memberships with passwords', async () => {
    for (const account of ['evil', 'victim']) await joinByPassword(account);
    assert.equal((await come()).end, '/sign-in?fault=no_member');
  });
});
