// Tests API keys on both databases (specification, section 5).
import assert from 'node:assert/strict';
import { findAccount, setPlan } from '../../../src/accounts/accounts.js';
import { SCENE_JPEG } from '../../support/images.js';
import { assertError, describeServiceOnEachDatabase, postForm, send } from '../../support/service.js';

describeServiceOnEachDatabase('API key authentication', (bench) => {
  let key: string;
  before(async () => {
    key = await bench().newKey();
  });

  it('rejects a request without an API key, and gives the same response to malformed, unknown and revoked keys', async () => {
    const revoked = await bench().newKey();
    await bench().database.run((queries) =>
      queries('api_keys')
        .where({ id: revoked.slice(8, 16) })
        .update({ revoked_at: 1 }),
    );
    const headers = [
      undefined,
      'Bearer',
      'Basic abc',
      key,
      'Bearer tt_live_nonsense',
      `Bearer tt_live_00000000_${'0'.repeat(32)}`,
      `Bearer ${revoked}`,
      `Bearer ${key.slice(0, -1)}~`,
    ];
    const texts = new Set<string>();
    for (const authorization of headers) {
      const answer = await send(`${bench().url}/v1/usage`, {
        headers: authorization === undefined ? {} : { authorization },
      });
      assertError(answer, 401, 'unauthorized');
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
      const hasKey = authorization?.startsWith('Bearer ') === true;
      assert.match(answer.body.error.message, hasKey ? /^The API key is unknown/ : /^Expected the header/);
      texts.add(answer.body.error.message);
    }
    assert.equal(texts.size, 2);
  });

  it('restricts an API key to its scopes', async () => {
    const own = await bench().newKey({ scopes: ['usage'] });
    assertError(
      await postForm(`${bench().url}/v1/check`, own, 'file', [SCENE_JPEG]),
      403,
      'forbidden',
      /scope 'check'/,
    );
    assert.equal(
      (await send(`${bench().url}/v1/usage`, { headers: { authorization: `Bearer ${own}` } })).status,
      200,
    );
  });

  it('applies the account’s current plan to an API key, unless the key is limited to a smaller plan', async () => {
    const account = 'raised';
    const [first, narrowed] = [
      await bench().newKey({ account, plan: 'starter' }),
      await bench().newKey({ account, plan: 'free' }),
    ];
    const batch = (own: string) => postForm(`${bench().url}/v1/check/batch`, own, 'files', [SCENE_JPEG]);
    assertError(await batch(first), 403, 'plan_required', /^the plan starter does not include batch/);
    const { id } = (await findAccount(bench().database, account))!;
    await setPlan(bench().database, id, 'scale');
    await new Promise((resolve) => setTimeout(resolve, 1000));
    assert.equal((await batch(first)).status, 200);
    assertError(
      await batch(narrowed),
      403,
      'plan_required',
      /^the plan free, to which this key is narrowed,/,
    );
    // The key has a separate request rate, of which one request is used up. Its checks count against the
    // account's quota.
    const usage = await send(`${bench().url}/v1/usage`, { headers: { authorization: `Bearer ${narrowed}` } });
    assert.match(usage.headers.get('ratelimit-policy')!, /^"requests";q=5;/);
    assert.equal((usage.body as unknown as { plan: string }).plan, 'scale');
  });

  it('counts the requests of each narrowed API key separately, and all of them against the account', async () => {
    const account = 'two narrowed keys';
    await bench().newKey({ account, plan: 'growth' });
    const busy = await bench().newKey({ account, plan: 'free' });
    const idle = await bench().newKey({ account, plan: 'free' });
    const read = (own: string) =>
      send(`${bench().url}/v1/usage`, { headers: { authorization: `Bearer ${own}` } });
    const answers = await Promise.all(Array.from({ length: 20 }, () => read(busy)));
    assert.ok(answers.some(({ status }) => status === 429));
    assert.equal((await read(idle)).status, 200);
    const { id } = (await findAccount(bench().database, account))!;
    // A time more than a minute after the bucket's burst would mean that the clock was set back.
    const fullAt = Date.now() + 30_000;
    await bench().database.run((queries) =>
      queries('rate_limits').where({ account_id: id, plan: 'growth' }).update({ full_at: fullAt }),
    );
    assertError(await read(idle), 429, 'rate_limited', /^the plan growth allows/);
  });

  it('rejects a revoked API key after at most one second', async () => {
    const own = await bench().newKey();
    const read = (): ReturnType<typeof send> =>
      send(`${bench().url}/v1/usage`, { headers: { authorization: `Bearer ${own}` } });
    assert.equal((await read()).status, 200);
    await bench().database.run((queries) =>
      queries('api_keys')
        .where({ id: own.slice(8, 16) })
        .update({ revoked_at: 1 }),
    );
    await new Promise((resolve) => setTimeout(resolve, 1000));
    assertError(await read(), 401, 'unauthorized');
  });
});
