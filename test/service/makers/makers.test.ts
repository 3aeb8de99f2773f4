// Tests AI makers' provenance services: what is sent, how responses are used, and failures that never harm a
// check.
import assert from 'node:assert/strict';
import { setMaker, type MakerName } from '../../../src/accounts/makers.js';
import { readKeyId } from '../../../src/accounts/key-text.js';
import { findAccountById } from '../../../src/accounts/accounts.js';
import { pageAudit } from '../../../src/accounts/audit.js';
import type { MakerAnswer } from '../../../src/library/check/makers.js';
import type { CheckResult } from '../../../src/library/check/result-schema.js';
import { makeBmp, SCENE_JPEG } from '../../support/images.js';
import { openMakerServices, sendJson, type MakerServices, type Reply } from '../../support/maker-services.js';
import {
  assertError,
  openBench,
  postForm,
  postJson,
  send,
  type Answer,
  type ServiceBench,
} from '../../support/service.js';

const OPENAI = 'api.openai.com';
const AZURE = 'acme.cognitiveservices.azure.com';
const NEWS = 'news.example.org';
const HOUR = { 'x-request-id': 'makers' };

/** Response that OpenAI documents for an image made by OpenAI. */
const FOUND = {
  object: 'content_provenance_check',
  created_at: 1_778_000_000,
  results: [
    {
      type: 'c2pa',
      outcome: 'not_detected',
      validation_state: 'not_present',
      issuer: null,
      model: null,
      generated_at: null,
    },
    { type: 'synthid', outcome: 'detected', model: 'gpt-image', generated_at: '2026-07-27T18:34:12Z' },
  ],
};
const OPERATION = 'f1e2d3c4-b5a6-47c8-9d0e-1f2a3b4c5d6e';

describe('the option provenance=ask, which asks AI makers’ services about an image', function () {
  this.timeout(120_000);
  let services: MakerServices;
  let bench: ServiceBench;

  before(async () => {
    services = await openMakerServices([OPENAI, AZURE, NEWS]);
    const makers = { openAi: 'sk-secret', azure: { url: `https://${AZURE}`, key: 'azure-secret' } };
    bench = await openBench('sqlite', { makers, deadlineMs: 20_000 }, { fetcher: services.fetcher });
  });
  beforeEach(() => {
    services.asked.length = 0;
    services.replies.set(OPENAI, (_request, res) => sendJson(res, 200, FOUND));
    services.replies.set(NEWS, (_request, res) => void res.end(SCENE_JPEG));
    services.replies.set(AZURE, ({ method }, res) => {
      if (method === 'POST') sendJson(res, 202, { id: OPERATION });
      else
        sendJson(res, 200, {
          id: OPERATION,
          kind: 'Detect',
          status: 'Succeeded',
          result: {
            outcome: 'ProvenanceDetected',
            results: [
              {
                type: 'Watermark',
                provider: 'Microsoft',
                modelName: 'MAI-Image',
                timestamp: '2026-01-01T00:00:00Z',
              },
            ],
          },
        });
    });
  });
  after(async () => {
    await bench.close();
    services.close();
  });

  const newKey = async (...on: readonly (readonly [MakerName, number])[]): Promise<[string, string]> => {
    const key = await bench.newKey();
    const row = await bench.database.run((queries) =>
      queries<{ id: string; account_id: string }>('api_keys')
        .where({ id: readKeyId(key) ?? '' })
        .first('account_id'),
    );
    const accountId = row?.account_id ?? '';
    for (const [maker, limit] of on) await setMaker(bench.database, accountId, maker, limit);
    return [key, accountId];
  };
  const ask = (key: string, fields: Record<string, string> = {}): Promise<Answer> =>
    postForm(`${bench.url}/v1/check`, key, 'file', [SCENE_JPEG], { provenance: 'ask', ...fields });
  const said = ({ status, text, body }: Answer): readonly MakerAnswer[] => {
    assert.equal(status, 200, text);
    return (body as unknown as CheckResult).details?.provenance ?? [];
  };
  const why = async (reply: Reply): Promise<string | null | undefined> => {
    services.replies.set(OPENAI, reply);
    const [key] = await newKey(['openai', 10]);
    const answer = await ask(key);
    assert.equal(answer.body.is_ai, false);
    assert.doesNotMatch(answer.body.reason, /OpenAI/);
    const [one] = said(answer);
    assert.ok(one);
    assert.deepEqual(one.signals, []);
    return one.why;
  };

  it('sends only the image, and shows the services’ findings as marks without changing the verdict', async () => {
    const [key] = await newKey(['openai', 10]);
    const answer = await ask(key, { include: 'marks,reasons', ref: 'my-secret-ref' });
    assert.deepEqual(said(answer), [
      {
        service: 'openai',
        state: 'answered',
        why: null,
        signals: [
          { type: 'c2pa', detected: false, issuer: null, model: null, at: null, validation: 'not_present' },
          {
            type: 'synthid',
            detected: true,
            issuer: null,
            model: 'gpt-image',
            at: '2026-07-27T18:34:12Z',
            validation: null,
          },
        ],
      },
    ]);
    const { is_ai: isAi, fired, reason, details } = answer.body as unknown as CheckResult;
    assert.equal(isAi, false);
    assert.deepEqual(fired, []);
    assert.match(
      reason,
      /OpenAI reports that its own tools made the image \(SynthID watermark, gpt-image, .*does not decide/,
    );
    const value = 'SynthID watermark, gpt-image, 2026-07-27T18:34:12Z';
    const [mark] = details?.marks ?? [];
    assert.deepEqual(mark, {
      kind: 'maker',
      generator: 'OpenAI',
      says: 'generated',
      where: 'openai:synthid',
      value,
    });
    const noted = details?.reasons?.find(({ code }) => code === 'mark_noted');
    assert.deepEqual(noted?.params, { kind: 'maker', says: 'generated', generator: 'OpenAI', value });
    const [request, ...more] = services.asked;
    assert.deepEqual(more, []);
    assert.ok(request);
    assert.equal(`${request.method} ${request.path}`, 'POST /v1/content_provenance_checks');
    assert.equal(request.headers.authorization, 'Bearer sk-secret');
    const form = await new Response(new Uint8Array(request.body), {
      headers: { 'content-type': request.headers['content-type'] ?? '' },
    }).formData();
    assert.deepEqual([...form.keys()], ['file']);
    const file = form.get('file') as File;
    assert.equal(file.type, 'image/jpeg');
    assert.ok(Buffer.from(await file.arrayBuffer()).equals(SCENE_JPEG));
    assert.doesNotMatch(request.body.toString('latin1'), /secret-ref|picture\.bin/);
    assert.doesNotMatch(bench.logged.join('\n'), /sk-secret|azure-secret/);
  });

  it('contacts a service only if the service is requested and enabled, and otherwise states the reason', async () => {
    const [key, accountId] = await newKey(['openai', 10]);
    assert.equal(
      (await postForm(`${bench.url}/v1/check`, key, 'file', [SCENE_JPEG], { include: 'marks' })).status,
      200,
    );
    const [other] = await newKey();
    assertError(await ask(other), 403, 'forbidden', /telltale accounts makers/);
    await setMaker(bench.database, accountId, 'openai', null);
    assertError(await ask(key), 403, 'forbidden');
    for (const value of ['yes', '', 'ASK'])
      assertError(await ask(key, { provenance: value }), 400, 'invalid_request', /provenance/);
    assert.deepEqual(services.asked, []);
    const usage = await send(`${bench.url}/v1/usage`, { headers: { authorization: `Bearer ${other}` } });
    assert.equal(usage.body.checks.used, 0);
    const bare = await openBench();
    try {
      const asked = { provenance: 'ask' };
      assertError(
        await postForm(`${bare.url}/v1/check`, await bare.newKey(), 'file', [SCENE_JPEG], asked),
        501,
        'not_configured',
      );
    } finally {
      await bare.close();
    }
  });

  it('sends nothing of a refused image, and no image in a format that the service does not accept', async () => {
    const [key, accountId] = await newKey(['openai', 10], ['azure', 10]);
    const fields = { provenance: 'ask' };
    assertError(
      await postForm(`${bench.url}/v1/check`, key, 'file', [makeBmp(300, 200)], fields),
      422,
      'image_too_small',
    );
    assertError(
      await postForm(`${bench.url}/v1/check`, key, 'file', [Buffer.from('no image')], fields),
      415,
      'unsupported_format',
    );
    const cut = SCENE_JPEG.subarray(0, SCENE_JPEG.byteLength / 2);
    assertError(await postForm(`${bench.url}/v1/check`, key, 'file', [cut], fields), 422, 'image_corrupt');
    assert.deepEqual(services.asked, []);
    const counted = await bench.database.run((queries) =>
      queries<{ account_id: string; asked: number }>('account_makers')
        .where({ account_id: accountId })
        .select('asked'),
    );
    assert.deepEqual(
      counted.map(({ asked }) => asked),
      [0, 0],
    );
    const bmp = said(await postForm(`${bench.url}/v1/check`, key, 'file', [makeBmp(300, 300)], fields));
    assert.deepEqual(
      bmp.map((one) => [one.service, one.why]),
      [
        ['openai', 'unsupported_format'],
        ['azure', 'needs_url'],
      ],
    );
    assert.deepEqual(services.asked, []);
  });

  it('sends Azure’s service the image address, and does not trust the result address in Azure’s response', async () => {
    const [key] = await newKey(['azure', 10]);
    services.replies.set(AZURE, ({ method }, res) => {
      const pending = services.asked.filter((one) => one.host === AZURE && one.method === 'GET').length < 2;
      if (method === 'POST')
        sendJson(
          res,
          202,
          {},
          { 'operation-location': `https://evil.example/x/operations/${OPERATION}?api-version=1` },
        );
      else if (pending) sendJson(res, 200, { id: OPERATION, kind: 'Detect', status: 'Running' });
      else
        sendJson(res, 200, {
          id: OPERATION,
          kind: 'Detect',
          status: 'Succeeded',
          result: {
            outcome: 'ProvenanceDetected',
            results: [{ type: 'C2PA', provider: 'Microsoft', modelName: null, timestamp: null }],
          },
        });
    });
    const body = { image_url: `https://${NEWS}/a.jpg`, provenance: 'ask', include: 'marks' };
    const answer = await postJson(`${bench.url}/v1/check`, key, body, HOUR);
    const [azure] = said(answer);
    assert.deepEqual(
      azure?.signals.map(({ type, detected, issuer }) => [type, detected, issuer]),
      [
        ['c2pa', true, 'Microsoft'],
        ['watermark', false, null],
      ],
    );
    const marks = (answer.body as unknown as CheckResult).details?.marks ?? [];
    assert.deepEqual(
      marks.map(({ kind, says }) => [kind, says]),
      [['maker', 'possibly_generated']],
    );
    const asked = services.asked.filter(({ host }) => host === AZURE);
    assert.deepEqual(
      asked.map(({ method, path }) => `${method} ${path}`),
      [
        'POST /contentsafety/provenance:detect?api-version=2026-09-01-preview',
        ...Array<string>(2).fill(
          `GET /contentsafety/provenance/operations/${OPERATION}?api-version=2026-09-01-preview`,
        ),
      ],
    );
    assert.deepEqual(JSON.parse(asked[0]?.body.toString() ?? ''), {
      content: { uri: `https://${NEWS}/a.jpg` },
    });
    assert.ok(asked.every(({ headers }) => headers['ocp-apim-subscription-key'] === 'azure-secret'));
  });

  it('ignores signals of unknown type from Azure, including names of built-in object members', async () => {
    const types = ['constructor', '__proto__', 'toString', 'c2pa', 'Watermark'];
    services.replies.set(AZURE, ({ method }, res) => {
      const results = types.map((type) => ({ type, provider: 'Microsoft' }));
      if (method === 'POST') sendJson(res, 202, { id: OPERATION });
      else
        sendJson(res, 200, {
          id: OPERATION,
          status: 'Succeeded',
          result: { outcome: 'ProvenanceDetected', results },
        });
    });
    const [key] = await newKey(['azure', 10]);
    const body = { image_url: `https://${NEWS}/a.jpg`, provenance: 'ask', include: 'marks' };
    const [azure] = said(await postJson(`${bench.url}/v1/check`, key, body));
    assert.deepEqual(
      azure?.signals.map(({ type, detected }) => [type, detected]),
      [
        ['watermark', true],
        ['c2pa', false],
      ],
    );
  });

  it('completes the check if a service refuses, fails or responds with invalid data', async () => {
    const status =
      (code: number): Reply =>
      (_request, res) =>
        sendJson(res, code, { error: { message: 'no' } });
    assert.equal(await why(status(400)), 'refused');
    assert.equal(await why(status(401)), 'not_authorized');
    assert.equal(await why(status(404)), 'not_authorized');
    assert.equal(await why(status(429)), 'rate_limited');
    assert.equal(await why(status(500)), 'failed');
    assert.equal(
      await why((_request, res) => void res.writeHead(302, { location: 'https://evil.example/' }).end()),
      'failed',
    );
    assert.equal(await why((_request, res) => void res.destroy()), 'failed');
    assert.equal(await why((_request, res) => void res.end('<html>')), 'invalid_answer');
    assert.equal(
      await why((_request, res) =>
        sendJson(res, 200, { ...FOUND, results: [{ type: 'synthid', outcome: 7 }] }),
      ),
      'invalid_answer',
    );
    assert.equal(
      await why((_request, res) => sendJson(res, 200, { ...FOUND, results: 'x' })),
      'invalid_answer',
    );
    assert.equal(await why((_request, res) => void res.end('['.repeat(50_000))), 'invalid_answer');
    assert.equal(await why((_request, res) => void res.end('x'.repeat(1_000_000))), 'failed');
  });

  it('shortens a text from a service to one line, and drops values that violate the schema', async () => {
    const model = `gpt\n\u202e${'x'.repeat(500)}`;
    services.replies.set(OPENAI, (_request, res) =>
      sendJson(res, 200, {
        ...FOUND,
        extra: 1,
        results: [
          { ...FOUND.results[1], model, odd: 1 },
          { type: 'new', outcome: 'detected' },
        ],
      }),
    );
    const [key] = await newKey(['openai', 10]);
    const answer = await ask(key, { include: 'marks' });
    const [one] = said(answer);
    assert.equal(one?.signals.length, 1);
    assert.ok((one.signals[0]?.model ?? '').length <= 64);
    assert.doesNotMatch(answer.text, /\u202e|\\n|"odd"|"extra"/);
  });

  it('waits for a slow service up to the service’s time limit, and never longer than the check’s own time limit', async () => {
    const makers = { openAi: 'sk-secret', azure: null };
    const hasty = await openBench('sqlite', { makers, deadlineMs: 8000 }, { fetcher: services.fetcher });
    services.replies.set(OPENAI, () => undefined);
    try {
      const key = await hasty.newKey();
      const row = await hasty.database.run((queries) => queries<{ id: string }>('accounts').first('id'));
      await setMaker(hasty.database, row?.id ?? '', 'openai', 5);
      const answer = await postForm(`${hasty.url}/v1/check`, key, 'file', [SCENE_JPEG], {
        provenance: 'ask',
      });
      assert.deepEqual(said(answer), [
        { service: 'openai', state: 'unavailable', why: 'timed_out', signals: [] },
      ]);
    } finally {
      await hasty.close();
    }
  });

  it('limits an account’s concurrent requests to a service, and counts every image of a batch', async () => {
    const [key, accountId] = await newKey(['openai', 3]);
    const batch = `${bench.url}/v1/check/batch`;
    const { body } = await postForm(batch, key, 'files', [SCENE_JPEG, SCENE_JPEG], { provenance: 'ask' });
    assert.equal(body.results.length, 2);
    const answers = await Promise.all(Array.from({ length: 3 }, () => ask(key)));
    const whys = answers.map((answer) => said(answer)[0]?.why ?? 'answered').sort();
    assert.deepEqual(whys, ['answered', 'quota_exceeded', 'quota_exceeded']);
    assert.equal(services.asked.length, 3);
    await bench.database.run((queries) =>
      queries('account_makers').where({ account_id: accountId }).update({ period: '2020-01' }),
    );
    assert.equal(said(await ask(key))[0]?.state, 'answered', 'a new month begins with none');
  });

  it('repeats the response for an Idempotency-Key without contacting the service again, separately from plain checks', async () => {
    const [key] = await newKey(['openai', 10]);
    const headers = { 'idempotency-key': 'once' };
    const send1 = (fields: Record<string, string>): Promise<Answer> =>
      postForm(`${bench.url}/v1/check`, key, 'file', [SCENE_JPEG], fields, headers);
    const first = await send1({ provenance: 'ask' });
    assert.equal((await send1({ provenance: 'ask' })).text, first.text);
    assert.equal(services.asked.length, 1);
    assertError(await send1({}), 409, 'idempotency_mismatch');
  });

  it('keeps the services’ findings out of signed records, which contain only findings from the file', async () => {
    const [key] = await newKey(['openai', 10]);
    const answer = await ask(key, { include: 'record' });
    const { details } = answer.body as unknown as CheckResult;
    assert.equal(details?.provenance?.[0]?.state, 'answered');
    const { record } = details.record as { record: { marks: { found: unknown[] } } };
    assert.deepEqual(record.marks.found, []);
  });

  it('can be enabled by operators, and the audit log records this', async () => {
    const [, accountId] = await newKey(['openai', 3]);
    await setMaker(bench.database, accountId, 'openai', 5);
    await setMaker(bench.database, accountId, 'openai', null);
    const { name } = (await findAccountById(bench.database, accountId))!;
    const { rows } = await pageAudit(bench.database, { accountId, what: 'account.maker_changed' });
    assert.deepEqual(
      rows.map(({ subject, before, after }) => [subject, before, after]),
      [
        [name, { openai: 5 }, { openai: null }],
        [name, { openai: 3 }, { openai: 5 }],
        [name, { openai: null }, { openai: 3 }],
      ],
    );
    for (const limit of [0, -1, 1.5, 2_000_000_000])
      await assert.rejects(setMaker(bench.database, accountId, 'openai', limit), /a whole number/);
  });
});
