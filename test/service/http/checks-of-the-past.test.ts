// Tests stored checks: found by identifier and by the caller's reference, and with feedback.
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { Value } from '@sinclair/typebox/value';
import { FormatRegistry, type Static } from '@sinclair/typebox';
import { listReported } from '../../../src/accounts/history/checks.js';
import { CheckList, PastCheck } from '../../../src/service/http/openapi/schemas.js';
import { findKey } from '../../../src/accounts/keys.js';
import { readKeyId } from '../../../src/accounts/key-text.js';
import { keepHashes } from '../../../src/accounts/seen/seen.js';
import { assessmentOf } from '../../../src/library/check/verdict/assessment.js';
import { overturn } from '../../support/history.js';
import { makeBmp, SCENE_JPEG } from '../../support/images.js';
import {
  assertError,
  describeServiceOnEachDatabase,
  postForm,
  postJson,
  send,
  type Answer,
} from '../../support/service.js';

const b64 = Buffer.from(SCENE_JPEG).toString('base64');
const UNKNOWN = 'chk_01ARZ3NDEKTSV4RRFFQ69G5FAV';

FormatRegistry.Set('date-time', (text) => !Number.isNaN(Date.parse(text)));

describeServiceOnEachDatabase('stored checks', (bench) => {
  let key: string;
  const check = (query = ''): string => `${bench().url}/v1/check${query}`;
  const get = (path: string, by = key): Promise<Answer> =>
    send(`${bench().url}/v1/checks${path}`, { headers: { authorization: `Bearer ${by}` } });
  const list = async (query: string): Promise<Static<typeof CheckList>> => {
    const { status, body, text } = await get(query);
    assert.equal(status, 200, text);
    assert.deepEqual([...Value.Errors(CheckList, body)], []);
    return body as unknown as Static<typeof CheckList>;
  };
  const refsOf = async (query: string): Promise<(string | undefined)[]> =>
    (await list(query)).checks.map(({ ref }) => ref);
  const used = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${key}` };
    return (await send(`${bench().url}/v1/usage`, { headers })).body.checks.used;
  };

  beforeEach(async () => {
    key = await bench().newKey({ scopes: ['check', 'usage'] });
  });

  it('return the caller’s reference, whether it was sent in the query, a form or JSON', async () => {
    const answers = [
      await postForm(check('?ref=by%20query'), key, 'file', [SCENE_JPEG]),
      await postForm(check(), key, 'file', [SCENE_JPEG], { ref: 'by form', store: 'true' }),
      await postJson(check('?include=timings'), key, { image_b64: b64, ref: 'by JSON ✓' }),
      await postForm(check(), key, 'file', [SCENE_JPEG], { ref: '' }),
    ];
    assert.deepEqual(
      answers.map(({ body }) => body.ref),
      ['by query', 'by form', 'by JSON ✓', undefined],
    );
    for (const { body } of answers) {
      const { details, ...result } = body;
      const past = await get(`/${result.id}`);
      assert.equal(past.status, 200, past.text);
      assert.deepEqual([...Value.Errors(PastCheck, past.body)], []);
      const {
        created_at: createdAt,
        assessment,
        appeal,
        ...others
      } = past.body as unknown as Static<typeof PastCheck>;
      assert.deepEqual(others, result);
      assert.deepEqual([assessment, appeal], [assessmentOf(result), null]);
      assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
      assert.equal(details === undefined, result.ref !== 'by JSON ✓');
    }
    assert.deepEqual(await refsOf('?ref=by%20form'), ['by form']);
    assert.deepEqual(await refsOf('?ref=by'), []);
    assert.equal(await used(), 4);
  });

  it('show that an appeal overturned the verdict, in lists, searches of the same image and tools of assistants', async () => {
    const { accountId } = (await findKey(bench().database, readKeyId(key)!))!;
    await keepHashes(bench().database, accountId, true);
    const { body: result } = await postForm(check(), key, 'file', [SCENE_JPEG]);
    await overturn(bench().database, accountId, result.id);
    const past = (await get(`/${result.id}`)).body as unknown as Static<typeof PastCheck>;
    assert.deepEqual([...Value.Errors(PastCheck, past)], []);
    assert.deepEqual([past.is_ai, past.appeal], [result.is_ai, 'overturned']);
    assert.deepEqual(
      (await list('')).checks.map(({ appeal }) => appeal),
      ['overturned'],
    );
    const again = await postForm(check('?include=seen'), key, 'file', [SCENE_JPEG]);
    assert.deepEqual(
      again.body.details?.seen?.checks.map(({ id, overturned }) => [id, overturned]),
      [[result.id, true]],
    );
    const call = { name: 'explain_check', arguments: { id: result.id } };
    const answer = await postJson(`${bench().url}/mcp`, key, {
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
    });
    const { result: explained } = JSON.parse(answer.text) as {
      result: { content: [{ text: string }]; structuredContent: { appeal: string } };
    };
    const [title, reason] = explained.content[0].text.split('\n');
    assert.match(title!, /^Overturned \(chk_.*\): an appeal was granted\. Before, the result was 'No AI/);
    assert.match(reason!, /^Reason of the overturned verdict: /);
    assert.match(explained.content[0].text, /^Limits: .*no longer counts/m);
    assert.equal(explained.structuredContent.appeal, 'overturned');
  });

  it('have one reference of the caller for each image of a batch, in order', async () => {
    const url = `${bench().url}/v1/check/batch`;
    const form = new FormData();
    for (const ref of ['first', '', 'third']) {
      form.append('files', new Blob([new Uint8Array(ref === 'third' ? makeBmp(64, 64) : SCENE_JPEG)]), 'x');
      form.append('ref', ref);
    }
    const byForm = await send(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: form,
    });
    const byJson = await postJson(url, key, {
      images: [{ image_b64: b64 }, { image_b64: b64, ref: 'second' }],
    });
    const byQuery = await postForm(`${url}?ref=a&ref=b`, key, 'files', [SCENE_JPEG, SCENE_JPEG]);
    assert.deepEqual(
      [byForm, byJson, byQuery].map(({ body }) => body.results.map((entry) => entry.ref)),
      [
        ['first', undefined, undefined],
        [undefined, 'second'],
        ['a', 'b'],
      ],
    );
    assert.equal(byForm.body.results[2]?.error?.code, 'image_too_small');
    assert.deepEqual(await refsOf('?ref=second'), ['second']);
    for (const refs of ['?ref=a', '?ref=a&ref=b&ref=c']) {
      const refused = await postForm(url + refs, key, 'files', [SCENE_JPEG, SCENE_JPEG]);
      assertError(refused, 400, 'invalid_request', /a 'ref' for each image, in their order \(2\)/);
    }
    const torn = await postJson(`${url}?ref=a&ref=b`, key, {
      images: [
        { image_b64: b64, ref: 'a' },
        { image_b64: b64, ref: 'c' },
      ],
    });
    assertError(torn, 400, 'invalid_request', /'ref' is given more than once/);
    assert.equal(await used(), 6);
  });

  it('are listed in the order of the batch’s images, whichever image finished first', async () => {
    // The large image comes first, so that the engine finishes it last.
    const images = [makeBmp(900, 700), SCENE_JPEG, SCENE_JPEG];
    const form = new FormData();
    for (const [index, image] of images.entries()) {
      form.append('files', new Blob([new Uint8Array(image)]), 'x');
      form.append('ref', `place ${index}`);
    }
    const { body } = await send(`${bench().url}/v1/check/batch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: form,
    });
    const ids = body.results.map(({ id }) => id);
    assert.deepEqual(ids, [...ids].sort());
    const places = ['place 2', 'place 1', 'place 0'];
    assert.deepEqual(await refsOf(''), places);
    const { checks, next } = await list('?limit=2');
    const rest = await list(`?limit=2&cursor=${next}`);
    assert.deepEqual(
      [...checks, ...rest.checks].map(({ ref }) => ref),
      places,
    );
  });

  it('are refused without a charge if the caller’s reference is too long or unprintable', async () => {
    for (const ref of ['x'.repeat(129), 'a\u0000b', 'line\nbreak', '\u202eabc', '\ud800']) {
      const refusals = [await postJson(check(), key, { image_b64: b64, ref })];
      // A form or an address can't contain half of a surrogate pair.
      if (ref !== '\ud800') {
        refusals.push(await postForm(check(), key, 'file', [SCENE_JPEG], { ref }));
        refusals.push(await postForm(check(`?ref=${encodeURIComponent(ref)}`), key, 'file', [SCENE_JPEG]));
      }
      for (const refused of refusals)
        assertError(refused, 400, 'invalid_request', /at most 128 printable characters for 'ref'/);
    }
    assertError(await postJson(check(), key, { image_b64: b64, ref: 7 }), 400, 'invalid_request', /'ref'/);
    assertError(await postForm(check('?ref=a&ref=b'), key, 'file', [SCENE_JPEG]), 400, 'invalid_request');
    assert.equal(await used(), 0);
    const longest = await postJson(check(), key, { image_b64: b64, ref: 'x'.repeat(128) });
    assert.equal(longest.status, 200, longest.text);
  });

  it('are listed newest first, in pages, and can be filtered by verdict and time', async () => {
    const answers: Answer[] = [];
    for (const ref of ['1', '2', '3']) {
      answers.push(await postForm(check(`?ref=${ref}`), key, 'file', [SCENE_JPEG]));
      // Waits so that the checks have different timestamps.
      await setTimeout(2);
    }
    assert.deepEqual(await refsOf(''), ['3', '2', '1']);
    const first = await list('?limit=2');
    assert.equal((await get('?limit=2')).headers.get('next-cursor'), first.next);
    assert.equal((await get('?limit=3')).headers.get('next-cursor'), null);
    assert.deepEqual([first.checks.length, first.next], [2, first.checks[1]!.id]);
    assert.deepEqual(await list(`?limit=2&cursor=${first.next}`), {
      checks: [await get(`/${answers[0]!.body.id}`).then(({ body }) => body)],
      next: null,
    });
    const verdict = answers[0]!.body.is_ai;
    assert.deepEqual(await refsOf(`?is_ai=${verdict}`), ['3', '2', '1']);
    assert.deepEqual(await refsOf(`?is_ai=${!verdict}`), []);
    const [, middle] = (await list('')).checks;
    assert.deepEqual(await refsOf(`?from=${middle!.created_at}`), ['3', '2']);
    assert.deepEqual(await refsOf(`?to=${middle!.created_at}`), ['1']);
    const today = middle!.created_at.slice(0, 10);
    assert.equal((await refsOf(`?from=${today}&to=${today}`)).length, 3);
    // In an address, an unescaped '+' stands for a space.
    const berlin = new Date(Date.parse(middle!.created_at) + 7_200_000).toISOString().replace('Z', '');
    assert.deepEqual(await refsOf(`?from=${berlin}+02:00`), ['3', '2']);
    assert.deepEqual(await refsOf(`?from=${berlin}%2B02:00`), ['3', '2']);
    assert.deepEqual(await refsOf('?to=2020-01-01'), []);
    for (const query of [
      'limit=0',
      'limit=101',
      'limit=x',
      'cursor=x',
      'is_ai=1',
      'from=yesterday',
      'from=2026-02-30',
      'to=2026-13-01T00:00:00Z',
      'colour=red',
    ])
      assertError(await get(`?${query}`), 400, 'invalid_request');
    assert.equal(await used(), 3);
  });

  it('are returned only to API keys of the same account with the required scope', async () => {
    const { id } = (await postForm(check('?ref=mine'), key, 'file', [SCENE_JPEG])).body;
    const stranger = await bench().newKey();
    assertError(await get(`/${id}`, stranger), 404, 'not_found', /no such check/);
    assert.equal((await get('?ref=mine', stranger)).text, '{"checks":[],"next":null}');
    assertError(await get(`/${UNKNOWN}`), 404, 'not_found');
    const feedback = `${bench().url}/v1/checks/${id}/feedback`;
    assertError(await postJson(feedback, stranger, { is_ai: true }), 404, 'not_found');
    const usageKey = await bench().newKey({ scopes: ['usage'] });
    for (const answer of [
      await get('', usageKey),
      await get(`/${id}`, usageKey),
      await postJson(feedback, usageKey, { is_ai: true }),
    ])
      assert.ok(['unauthorized', 'forbidden'].includes(answer.body.error.code), answer.text);
  });

  it('accept feedback over HTTP in the same way as in the console', async () => {
    const { id } = (await postForm(check(), key, 'file', [SCENE_JPEG])).body;
    const feedback = `${bench().url}/v1/checks/${id}/feedback`;
    const reported = async (): Promise<unknown[]> =>
      (await listReported(bench().database))
        .filter((one) => one.id === id)
        .map(({ report }) => [report?.label, report?.note]);
    const taken = await postJson(feedback, key, { is_ai: true, note: 'I saw it made' });
    assert.equal(taken.status, 202, taken.text);
    assert.equal(taken.text, `{"id":"${id}","is_ai":true,"note":"I saw it made"}`);
    assert.deepEqual(await reported(), [['generated', 'I saw it made']]);
    // The feedback agrees with the verdict, so it is refused and leaves the earlier report unchanged.
    assertError(
      await postJson(feedback, key, { is_ai: false }),
      400,
      'invalid_request',
      /a label that differs from the verdict/,
    );
    assert.deepEqual(await reported(), [['generated', 'I saw it made']]);
    for (const body of [{}, { is_ai: 'yes' }, { is_ai: true, note: 'x'.repeat(501) }, { is_ai: true, a: 1 }])
      assertError(await postJson(feedback, key, body), 400, 'invalid_request');
    assertError(await postForm(feedback, key, 'file', []), 415, 'unsupported_media_type');
    assert.deepEqual(await reported(), [['generated', 'I saw it made']]);
    assert.equal(await used(), 1);
  });

  it('are made separately for requests with the same Idempotency-Key but different references', async () => {
    const ask = (ref?: string): Promise<Answer> =>
      postJson(
        check(),
        key,
        { image_b64: b64, ...(ref !== undefined && { ref }) },
        { 'idempotency-key': 'k' },
      );
    const first = await ask('a');
    assert.equal((await ask('a')).text, first.text);
    assertError(await ask('b'), 409, 'idempotency_mismatch');
    assertError(await ask(), 409, 'idempotency_mismatch');
  });
});
