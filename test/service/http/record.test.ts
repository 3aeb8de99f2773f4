// Tests records over HTTP: in a response, in a refusal, and the published keys and schema.
import assert from 'node:assert/strict';
import { Value } from '@sinclair/typebox/value';
import type { KeySet } from '../../../src/record/keys/keys.js';
import { readRecord } from '../../../src/record/verify/read-record.js';
import { SignedRecord } from '../../../src/record/content/schema.js';
import { holdsAll, verifyRecord } from '../../../src/record/verify/verify.js';
import { makeBmp, SCENE_JPEG } from '../../support/images.js';
import {
  assertError,
  describeServiceOnEachDatabase,
  postForm,
  postJson,
  send,
} from '../../support/service.js';

describeServiceOnEachDatabase('evidence records over HTTP', (bench) => {
  let key: string;
  before(async () => (key = await bench().newKey({ plan: 'growth' })));
  const check = (): string => `${bench().url}/v1/check`;
  const used = async (): Promise<number> =>
    (await send(`${bench().url}/v1/usage`, { headers: { authorization: `Bearer ${key}` } })).body.checks.used;
  const readKeys = async (): Promise<KeySet> =>
    (await (await fetch(`${bench().url}/.well-known/telltale-keys.json`)).json()) as KeySet;
  const holds = async (record: unknown): Promise<boolean> => {
    const received = readRecord(Buffer.from(JSON.stringify(record)));
    return holdsAll(await verifyRecord(received, (await readKeys()).keys, null, () => assert.fail()));
  };

  it('can be verified with the published keys, and change neither verdict nor charge', async () => {
    const before = await used();
    const plain = await postForm(check(), key, 'file', [SCENE_JPEG]);
    const { body, headers } = await postForm(`${check()}?include=record`, key, 'file', [SCENE_JPEG]);
    assert.equal(await used(), before + 2);
    assert.deepEqual(
      [body.is_ai, body.fired, body.scores],
      [plain.body.is_ai, plain.body.fired, plain.body.scores],
    );
    const signed = body.details?.record as SignedRecord;
    assert.deepEqual([...Value.Errors(SignedRecord, signed)], []);
    assert.deepEqual([signed.record.id, signed.record.request_id], [body.id, headers.get('x-request-id')]);
    assert.equal(await holds(signed), true);
    signed.record.verdict!.is_ai = true;
    assert.equal(await holds(signed), false);
  });

  it('are added to the error of a refused image only if requested', async () => {
    const small = makeBmp(100, 300);
    assertError(await postForm(check(), key, 'file', [small]), 422, 'image_too_small');
    const refused = await postForm(`${check()}?include=record`, key, 'file', [small]);
    assert.equal(refused.status, 422);
    const { error, record } = refused.body as unknown as { error: { code: string }; record: SignedRecord };
    assert.deepEqual([error.code, record.record.refusal?.code], ['image_too_small', 'image_too_small']);
    assert.equal(await holds(record), true);
    const { body } = await postForm(`${check()}/batch?include=record`, key, 'files', [SCENE_JPEG, small]);
    const entries = body.results as unknown as {
      record?: SignedRecord;
      details?: { record: SignedRecord };
    }[];
    assert.equal(await holds(entries[0]?.details?.record), true);
    assert.equal(await holds(entries[1]?.record), true);
  });

  it('have a published schema, and public keys published without their private parts', async () => {
    const schema = (await (await fetch(`${bench().url}/schemas/record.json`)).json()) as Record<
      string,
      unknown
    >;
    assert.equal(schema.$schema, 'https://json-schema.org/draft/2020-12/schema');
    assert.deepEqual(Object.keys(schema.properties as object), ['record', 'signature']);
    const { keys } = await readKeys();
    assert.deepEqual(Object.keys(keys[0]!).sort(), ['alg', 'crv', 'kid', 'kty', 'signs_from', 'use', 'x']);
    const [secret] = await bench().database.run((queries) =>
      queries('record_keys').whereNotNull('private_pem').pluck<string[]>('private_pem'),
    );
    const body = secret?.split('\n')[1] ?? '';
    assert.ok(body.length > 40);
    assert.ok(!bench().logged.join('').includes(body));
  });

  it('are not made for scans', async () => {
    const scan = { items: [{ url: 'https://pictures.example/a.jpg' }], include: 'record' };
    const answer = await postJson(`${bench().url}/v1/scans`, key, scan);
    assert.ok([400, 501].includes(answer.status), answer.text);
  });
});
