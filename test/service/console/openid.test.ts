// Tests signing in by OpenID Connect, with a real provider and with a dishonest one.
import assert from 'node:assert/strict';
import type { Choice, Me, SignInWays } from '../../../src/service/console/shapes.js';
import { findMembers } from '../../../src/accounts/members/members.js';
import { makeLink, type Person } from '../../support/browser.js';
import { callConsole, signIn } from '../../support/console.js';
import { makeFolder } from '../../support/folders.js';
import { freePort, openAt, OPENID_START as start, Visitor } from '../../support/openid-visitor.js';
import { CLIENT, startLyingProvider, startProvider, type Identity, type Lie, type LyingProvider, type RunningProvider } from '../../support/openid-provider.js'; // prettier-ignore
import { openBench, type ServiceBench } from '../../support/service.js';

const ann: Person = { account: 'acme', email: 'ann@acme.example', role: 'owner' };

const callback = '/console/oidc/callback';

describe('OpenID Connect', () => {
  const folder = makeFolder('openid');

  describe('sign-in with a real provider', () => {
    let bench: ServiceBench;
    let provider: RunningProvider;
    let who = '';
    const identities = new Map<string, Identity>([
      ['ann', { email: 'Ann@acme.example', email_verified: true }],
      ['bob', { email: 'bob@acme.example', email_verified: true }],
      ['unverified', { email: ann.email, email_verified: false }],
      ['silent', {}],
      ['stranger', { email: 'eve@evil.example', email_verified: true }],
      ['nonsense', { email: 'no address', email_verified: true }],
    ]);

    before(async () => {
      const port = await freePort();
      provider = await startProvider(`http://127.0.0.1:${port}${callback}`, identities, () => who);
      bench = await openAt(folder, port, provider.issuer);
      await signIn(bench, ann);
    });
    after(async () => {
      await bench.close();
      provider.close();
    });

    const enter = async (subject: string): Promise<{ visitor: Visitor; end: string }> => {
      who = subject;
      const visitor = new Visitor();
      return { visitor, end: await visitor.follow(bench.url + start) };
    };

    it('signs a member in by a verified email address, and signs the member out', async () => {
      const { visitor, end } = await enter('ann');
      assert.equal(end, `${bench.url}/`);
      const client = visitor.client(bench.url);
      const { body } = await client.call<Me>('GET', '/me');
      assert.deepEqual([body.member.email, body.account.name], [ann.email, ann.account]);
      await client.call('DELETE', '/session');
      assert.equal((await client.call('GET', '/me')).status, 204);
    });

    it('creates a member from an invitation only once, and never without an invitation', async () => {
      assert.equal((await enter('bob')).end, `${bench.url}/sign-in?fault=no_member`);
      assert.deepEqual(await findMembers(bench.database, 'bob@acme.example'), []);
      await makeLink(
        bench.database,
        bench.url,
        { ...ann, email: 'bob@acme.example', role: 'member' },
        'invitation',
      );
      const { visitor, end } = await enter('bob');
      assert.equal(end, `${bench.url}/choice`);
      const { body: choice } = await visitor.call<Choice>(bench.url, 'GET', '/choice');
      await visitor.call(bench.url, 'POST', '/choice', { account_id: choice.accounts[0]?.id });
      const { body } = await visitor.client(bench.url).call<Me>('GET', '/me');
      assert.deepEqual(
        [body.member.email, body.member.role, body.account.name],
        ['bob@acme.example', 'member', 'acme'],
      );
      const left = await bench.database.run((queries) =>
        queries('links').where({ email: 'bob@acme.example' }),
      );
      assert.deepEqual(left, []);
      for (const subject of ['stranger', 'nonsense'])
        assert.equal((await enter(subject)).end, `${bench.url}/sign-in?fault=no_member`, subject);
    });

    it('refuses an email address that the provider has not verified', async () => {
      for (const subject of ['unverified', 'silent']) {
        const { visitor, end } = await enter(subject);
        assert.equal(end, `${bench.url}/sign-in?fault=unverified`, subject);
        assert.equal((await visitor.client(bench.url).call('GET', '/me')).status, 204);
      }
    });

    it('accepts a response of the provider only once, and only in the browser that started the sign-in', async () => {
      who = 'ann';
      const visitor = new Visitor();
      const answer = await visitor.follow(bench.url + start, /callback\?/);
      const elsewhere = await new Visitor().follow(answer);
      assert.equal(elsewhere, `${bench.url}/sign-in?fault=not_begun`);
      assert.equal(await visitor.follow(answer), `${bench.url}/`);
      assert.equal(await visitor.follow(answer), `${bench.url}/sign-in?fault=not_begun`);
      // The code was already used. Starts a new sign-in, and restores its earlier state by hand.
      const again = new Visitor();
      const next = new URL(await again.follow(bench.url + start, /callback\?/));
      next.searchParams.set('code', new URL(answer).searchParams.get('code') ?? '');
      assert.equal(await again.follow(next.href), `${bench.url}/sign-in?fault=failed`);
    });

    it('is announced in the console, hides its cookie from scripts and logs no secret', async () => {
      const { body } = await callConsole<SignInWays>(bench.url, 'GET', '/sign-in');
      assert.deepEqual(body, { openid: true });
      const response = await fetch(bench.url + start, { redirect: 'manual' });
      assert.match(
        response.headers.getSetCookie()[0] ?? '',
        /; path=\/console\/oidc; .*samesite=lax; httponly$/i,
      );
      const asked = new URL(response.headers.get('location') ?? '').searchParams;
      assert.equal(asked.get('code_challenge_method'), 'S256');
      assert.equal(asked.get('redirect_uri'), bench.url + callback);
      const log = bench.logged.join('');
      assert.doesNotMatch(log, /code=|id_token|secret/);
      assert.match(log, /"fault":"unverified"/);
    });
  });

  describe('sign-in with a dishonest provider', () => {
    let bench: ServiceBench;
    let provider: LyingProvider;

    before(async () => {
      provider = await startLyingProvider();
      bench = await openAt(folder, await freePort(), provider.issuer);
      await signIn(bench, ann);
    });
    after(async () => {
      await bench.close();
      provider.close();
    });

    /**
     * Starts a sign-in, returns from the provider with an arbitrary code, and returns the path of the last
     * page.
     */
    const comeBack = async (
      lie: Lie,
      change: (query: URLSearchParams) => void = () => undefined,
    ): Promise<string> => {
      const visitor = new Visitor();
      const asked = new URL(await visitor.follow(bench.url + start, /authorize/)).searchParams;
      Object.assign(provider, { lie, nonce: asked.get('nonce') ?? '' });
      const query = new URLSearchParams({ code: 'x', state: asked.get('state') ?? '' });
      change(query);
      const end = await visitor.follow(`${bench.url}${callback}?${query.toString()}`);
      const { status } = await visitor.client(bench.url).call('GET', '/me');
      assert.equal(status, end === `${bench.url}/` ? 200 : 204);
      return end.slice(bench.url.length);
    };

    it('accepts an honest token that is redeemed with the code verifier of the same sign-in', async () => {
      assert.equal(await comeBack({}), '/');
      const sent = provider.redeemed.at(-1);
      assert.match(sent?.get('code_verifier') ?? '', /^[\w-]{43,}$/);
      assert.equal(sent?.get('client_secret'), CLIENT.clientSecret);
    });

    const now = Math.floor(Date.now() / 1000);
    const LIES: Readonly<Record<string, Lie>> = {
      'a token for another audience': { claims: { aud: 'somebody-else' } },
      'a token of another issuer': { claims: { iss: 'http://127.0.0.1:1' } },
      'a token with another nonce': { claims: { nonce: 'of-another-sign-in' } },
      'a token without a nonce': { without: ['nonce'] },
      'an expired token': { claims: { iat: now - 7200, exp: now - 3600 } },
      'a token without an expiry time': { without: ['exp'] },
      'a token signed with another key': { isForged: true },
    };
    for (const [title, lie] of Object.entries(LIES))
      it(`rejects ${title}`, async () => {
        assert.equal(await comeBack(lie), '/sign-in?fault=failed');
      });

    it('rejects a wrong or missing state parameter', async () => {
      const redeemed = provider.redeemed.length;
      assert.equal(await comeBack({}, (query) => query.set('state', 'other')), '/sign-in?fault=failed');
      assert.equal(await comeBack({}, (query) => query.delete('state')), '/sign-in?fault=failed');
      assert.equal(await comeBack({}, (query) => query.delete('code')), '/sign-in?fault=failed');
      assert.equal(provider.redeemed.length, redeemed, 'the provider was not even asked');
    });

    it('accepts an email address as verified only if email_verified is the boolean true', async () => {
      for (const email_verified of ['true', 1, false])
        assert.equal(await comeBack({ claims: { email_verified } }), '/sign-in?fault=unverified');
      assert.equal(await comeBack({ without: ['email_verified'] }), '/sign-in?fault=unverified');
    });

    it('distinguishes a sign-in that the provider denied from other errors, and repeats no text of the provider', async () => {
      const end = await comeBack({}, (query) => {
        query.delete('code');
        query.set('error', 'access_denied');
        query.set('error_description', '<script>');
      });
      assert.equal(end, '/sign-in?fault=denied');
    });

    it('reports a provider that is unreachable or has the wrong issuer, and recovers when the provider is correct', async () => {
      const own = await startLyingProvider();
      own.statedIssuer = 'https://id.example';
      const other = await openAt(folder, await freePort(), own.issuer);
      try {
        const visitor = new Visitor();
        assert.equal(await visitor.follow(other.url + start), `${other.url}/sign-in?fault=unreachable`);
        own.statedIssuer = own.issuer;
        assert.match(await visitor.follow(other.url + start, /authorize/), /\/authorize\?/);
        assert.match(other.logged.join(''), /does not respond like an OpenID provider/);
      } finally {
        await other.close();
        own.close();
      }
    });
  });

  it('returns 404 for the OpenID routes if no provider is configured', async () => {
    const bench = await openBench();
    try {
      assert.deepEqual((await callConsole<SignInWays>(bench.url, 'GET', '/sign-in')).body, { openid: false });
      assert.equal((await fetch(bench.url + start)).status, 404);
      assert.equal((await fetch(bench.url + callback)).status, 404);
    } finally {
      await bench.close();
    }
  });
});
