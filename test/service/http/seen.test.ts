// Tests images seen before: copies are recognised within an account while its checks are stored, and known
// images are named.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { findKey } from '../../../src/accounts/keys.js';
import { readKeyId } from '../../../src/accounts/key-text.js';
import { addKnown, removeKnown } from '../../../src/accounts/seen/known.js';
import { keepHashes } from '../../../src/accounts/seen/seen.js';
import { readKnown } from '../../../src/service/check-and-search.js';
import { createEngine } from '../../../src/library/engine/native/engine.js';
import type { Details } from '../../../src/library/check/details-schema.js';
import type { Database } from '../../../src/storage/db/database.js';
import { signIn } from '../../support/console.js';
import { drawBmp } from '../../support/images.js';
import { modelsDir } from '../../support/test-models.js';
import {
  assertError,
  describeServiceOnEachDatabase,
  openBench,
  postForm,
  postJson,
  send,
  type Answer,
  type ServiceBench,
} from '../../support/service.js';

const sample = (name: string): Buffer => readFileSync(new URL(`../../../samples/${name}`, import.meta.url));
const PORTRAIT = sample('portrait.png');
const SCENE = sample('scene.jpg');
const BLANK = drawBmp(400, 300, () => [200, 200, 200]);

const draw = (svg: string): Promise<Buffer> => sharp(Buffer.from(svg)).png().toBuffer();

/** Draws a card with text, like those posted on social media. */
const drawCard = (...lines: string[]): Promise<Buffer> =>
  draw(
    `<svg xmlns="http://www.w3.org/2000/svg" width="1080" height="1080"><rect width="1080" height="1080" fill="#122040"/><rect width="1080" height="140" fill="#c8141e"/><text x="330" y="90" font-size="54" fill="#fff">BREAKING NEWS</text>${lines.map((line, at) => `<text x="350" y="${520 + 75 * at}" font-size="54" font-weight="bold" fill="#fff">${line}</text>`).join('')}</svg>`,
  );

/** Draws an identity card with a name, a number and a round head of the given radius. */
const drawForm = (name: string, number: number, radius: number): Promise<Buffer> =>
  draw(
    `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="400"><rect width="640" height="400" fill="#dfe8f5"/><rect width="640" height="70" fill="#24408e"/><rect x="30" y="100" width="150" height="200" fill="#caa"/><circle cx="105" cy="170" r="${radius}" fill="#e8c39e"/><text x="210" y="140" font-size="24">${name}</text><text x="210" y="190" font-size="20">${number}</text><rect x="30" y="330" width="580" height="30" fill="#555"/></svg>`,
  );

/** Returns the upper left nine tenths of the image, shrunk and recompressed. */
const copyOf = async (bytes: Buffer): Promise<Buffer> => {
  const { width, height } = await sharp(bytes).metadata();
  const crop = { left: 0, top: 0, width: Math.ceil(width * 0.9), height: Math.ceil(height * 0.9) };
  return sharp(await sharp(bytes).extract(crop).png().toBuffer())
    .resize(420)
    .jpeg({ quality: 70 })
    .toBuffer();
};

const seenOf = (answer: Answer): NonNullable<Details['seen']> => {
  assert.equal(answer.status, 200, answer.text);
  assert.ok(answer.body.details?.seen, answer.text);
  return answer.body.details.seen;
};

const accountOf = async (database: Database, key: string): Promise<string> =>
  (await findKey(database, readKeyId(key)!))!.accountId;

const countHashes = (database: Database): Promise<number> =>
  database.run(async (queries) => {
    const row = (await queries('seen_images').count('* as value').first()) as { value: number | string };
    return Number(row.value);
  });

const hashFor = async (bytes: Uint8Array) => {
  const engine = await createEngine({ modelsDir, device: 'cpu', threads: 1 });
  try {
    return await readKnown(engine, bytes, {});
  } finally {
    await engine.close();
  }
};

const tests = (bench: () => ServiceBench): void => {
  const check = (key: string, bytes: Uint8Array, query = '?include=seen'): Promise<Answer> =>
    postForm(`${bench().url}/v1/check${query}`, key, 'file', [bytes]);
  const newKey = async (isOn = true): Promise<string> => {
    const key = await bench().newKey();
    if (isOn) await keepHashes(bench().database, await accountOf(bench().database, key), true);
    return key;
  };

  it('stores and compares image hashes only if the account has enabled them', async () => {
    const key = await newKey(false);
    const before = await countHashes(bench().database);
    const refused = await check(key, PORTRAIT);
    assertError(refused, 501, 'not_configured', /^details\.seen: .*telltale accounts seen NAME on/);
    assert.equal(refused.body.error.param, 'include');
    assert.ok(!bench().logged.some((line) => line.includes('request failed')));
    const plain = await check(key, PORTRAIT, '');
    assert.equal(plain.status, 200);
    assert.equal(plain.body.details, undefined);
    assert.equal(await countHashes(bench().database), before);
    assertError(await check(key, PORTRAIT, '?include=seen,sene'), 400, 'invalid_request');
  });

  it('recognizes a cropped, shrunk and recompressed copy of a checked image, and no other image', async () => {
    const key = await newKey();
    const first = await postForm(`${bench().url}/v1/check?ref=first`, key, 'file', [PORTRAIT]);
    const copy = await copyOf(PORTRAIT);
    const seen = seenOf(await check(key, copy));
    assert.equal(seen.comparable, true);
    assert.deepEqual([seen.checks.length, seen.known], [1, null]);
    const [{ difference, created_at: at, ...facts }] = seen.checks as [(typeof seen.checks)[number]];
    const { id, is_ai, fired, model, bands_version } = first.body;
    assert.deepEqual(facts, {
      ...{ id, is_ai, fired, model, bands_version, reported_is_ai: null, ref: 'first' },
      assessment: 'no_ai_detected',
      overturned: false,
      name: 'picture.bin',
      image_stored: false,
    });
    assert.ok(difference > 0 && difference < 0.25, String(difference));
    assert.ok(Date.parse(at) <= Date.now());
    assert.deepEqual(seenOf(await check(key, SCENE)).checks, []);
    // Now in the opposite order: the part first, then the whole image.
    const other = await newKey();
    const cropped = await check(other, copy);
    assert.deepEqual(
      seenOf(await check(other, PORTRAIT)).checks.map((found) => found.id),
      [cropped.body.id],
    );
    // The most similar check comes first, and shows the verdict that a member reported.
    await postJson(`${bench().url}/v1/checks/${id}/feedback`, key, { is_ai: !is_ai });
    const again = seenOf(await check(key, PORTRAIT)).checks;
    assert.deepEqual([again[0]?.id, again[0]?.reported_is_ai, again[0]?.difference], [id, !is_ai, 0]);
    assert.equal(again.length, 2);
  });

  it('looks up an image without a charge, a check or a stored hash', async () => {
    const key = await newKey();
    const first = await check(key, PORTRAIT);
    const { database, url } = bench();
    const before = await countHashes(database);
    const usage = await send(`${url}/v1/usage`, { headers: { authorization: `Bearer ${key}` } });
    const lookUp = (bytes: Uint8Array, by = key): Promise<Answer> =>
      postForm(`${url}/v1/seen`, by, 'file', [bytes]);
    const found = await lookUp(await copyOf(PORTRAIT));
    const seen = found.body as unknown as NonNullable<Details['seen']>;
    assert.deepEqual(
      [found.status, seen.comparable, seen.checks.map(({ id }) => id), seen.known],
      [200, true, [first.body.id], null],
    );
    const blank = await lookUp(BLANK);
    assert.deepEqual(blank.body, { comparable: false, checks: [], known: null });
    const after = await send(`${url}/v1/usage`, { headers: { authorization: `Bearer ${key}` } });
    assert.deepEqual([after.text, await countHashes(database)], [usage.text, before]);
    const refused = await lookUp(PORTRAIT, await newKey(false));
    assertError(refused, 501, 'not_configured', /^There is no hash to search for: .* seen NAME on/);
    assert.equal(refused.body.error.param, undefined, 'POST /v1/seen has no parameter to name');
    assertError(await lookUp(Buffer.from('no image')), 415, 'unsupported_format');
    const misnamed = await postForm(`${url}/v1/seen`, key, 'image', [PORTRAIT]);
    assertError(misnamed, 400, 'invalid_request', /goes into the field 'file', there are no options$/);
  });

  it('deletes an image hash with its check or account, and includes image hashes in the account export', async () => {
    const key = await newKey();
    const { database, url } = bench();
    const before = await countHashes(database);
    const first = await check(key, PORTRAIT);
    await check(key, SCENE);
    assert.equal(await countHashes(database), before + 2);
    const headers = { authorization: `Bearer ${key}` };
    assert.equal(
      (await send(`${url}/v1/checks/${first.body.id}`, { method: 'DELETE', headers })).status,
      200,
    );
    assert.equal(await countHashes(database), before + 1);
    assert.deepEqual(seenOf(await check(key, PORTRAIT)).checks, []);
    await keepHashes(database, await accountOf(database, key), false);
    assert.equal(await countHashes(database), before);
  });

  it('does not treat blank images as copies of each other', async () => {
    const key = await newKey();
    const before = await countHashes(bench().database);
    for (const bytes of [BLANK, drawBmp(300, 400, () => [1, 1, 1])])
      assert.deepEqual(seenOf(await check(key, bytes)), { comparable: false, checks: [], known: null });
    assert.equal(await countHashes(bench().database), before);
    await assert.rejects(hashFor(BLANK), /too little/);
  });

  it('does not treat cards with a few lines of text on a plain background as copies of each other', async () => {
    const key = await newKey();
    for (const lines of [
      ['School closed', 'on Monday'],
      ['Council votes', 'for the park'],
      ['Heat record', 'in November'],
    ])
      assert.deepEqual(seenOf(await check(key, await drawCard(...lines))), {
        comparable: false,
        checks: [],
        known: null,
      });
  });

  it('names a known image in the reason and with a code, without changing the verdict', async () => {
    const key = await newKey();
    const { database } = bench();
    const facts = { label: 'fake', note: 'a swap of 2024', source: 'https://example.org/case' } as const;
    const known = await addKnown(database, facts, await hashFor(PORTRAIT));
    try {
      const answer = await check(key, await copyOf(PORTRAIT), '?include=seen,reasons');
      const text =
        'the image matches an image that the operator of this service lists as fake (a swap of 2024; https://example.org/case), which does not decide the verdict';
      assert.ok(answer.body.reason.includes(text), answer.body.reason);
      const reason = answer.body.details?.reasons?.find(({ code }) => code === 'known_image');
      const { note, source } = facts;
      assert.deepEqual(reason?.params, { label: 'fake', note, source, decides: false });
      const { difference, ...named } = seenOf(answer).known!;
      assert.deepEqual(named, { id: known.id, ...facts });
      assert.ok(difference < 0.25);
      assert.equal(seenOf(await check(key, SCENE)).known, null);
      // For an account that has not enabled image hashes, the list of known images is ignored.
      assert.doesNotMatch((await check(await newKey(false), PORTRAIT, '')).body.reason, /operator/);
    } finally {
      await removeKnown(database, known.id);
    }
    await assert.rejects(removeKnown(database, known.id), /no known image/);
    await assert.rejects(
      addKnown(database, { ...facts, source: 'javascript:alert(1)' }, await hashFor(PORTRAIT)),
      /http/,
    );
    await assert.rejects(
      addKnown(database, { ...facts, note: 'a\u202eb' }, await hashFor(PORTRAIT)),
      /printable/,
    );
  });

  it('lets operators enable image hashes and edit the list of known images in the console', async () => {
    const { url, database } = bench();
    const key = await newKey(false);
    const accountId = await accountOf(database, key);
    const email = `boss@${accountId}.example`;
    const boss = await signIn(bench(), { account: `of ${email}`, email, role: 'operator', plan: 'scale' });
    const path = `/operator/accounts/${accountId}/seen`;
    assert.equal((await boss.call('PUT', path, { on: 'yes' })).status, 400);
    assert.equal((await boss.call('PUT', '/operator/accounts/acc_none/seen', { on: true })).status, 400);
    assert.equal((await boss.call('PUT', path, { on: true })).status, 204);
    const add = async (bytes: Uint8Array, fields: Record<string, string>): Promise<Answer> => {
      const form = new FormData();
      form.append('file', new Blob([new Uint8Array(bytes)]), 'known.png');
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      const headers = { origin: url, cookie: boss.cookie };
      return send(`${url}/console/api/operator/known`, { method: 'POST', headers, body: form });
    };
    assertError(await add(BLANK, { label: 'fake' }), 400, 'invalid_request', /too little/);
    assertError(await add(PORTRAIT, { label: 'unsure' }), 400, 'invalid_request');
    assertError(await add(Buffer.from('no image'), { label: 'fake' }), 415, 'unsupported_format');
    const added = await add(PORTRAIT, { label: 'genuine', note: 'by the agency' });
    assert.equal(added.status, 201, added.text);
    const { id } = added.body;
    const list = await boss.call<{ known: { id: string; label: string }[] }>('GET', '/operator/known');
    assert.deepEqual(
      list.body.known.map((known) => [known.id, known.label]),
      [[id, 'genuine']],
    );
    assert.match(
      (await check(key, PORTRAIT)).body.reason,
      /lists as genuine \(by the agency\), which does not decide the verdict/,
    );
    assert.equal((await boss.call('DELETE', `/operator/known/${id}`)).status, 204);
    assert.equal((await boss.call('DELETE', `/operator/known/${id}`)).status, 400);
  });
};

describeServiceOnEachDatabase('recognition of images that were checked before or are known', tests);

describe('known images if the operator lets them decide verdicts', () => {
  it('are not confused with other documents that have the same layout', async () => {
    const bench = await openBench('sqlite', { knownDecides: true });
    try {
      const key = await bench.newKey();
      const { database, url } = bench;
      await keepHashes(database, await accountOf(database, key), true);
      const check = async (image: Uint8Array) =>
        (await postForm(`${url}/v1/check?include=seen`, key, 'file', [image])).body;
      const forged = await drawForm('JOHN FORGED', 7919, 35);
      const fake = { label: 'fake', note: 'forged card', source: null } as const;
      await addKnown(database, fake, await hashFor(forged));
      const genuine = await check(await drawForm('MARY GENUINE', 39_595, 39));
      assert.notEqual(genuine.details?.seen?.known ?? null, null, 'the two forms hash near each other');
      assert.equal(genuine.is_ai, false, genuine.reason);
      assert.match(genuine.reason, /forged card.*does not decide/);
      const copy = await sharp(forged).jpeg({ quality: 70 }).toBuffer();
      assert.match((await check(copy)).reason, /^AI detected: the image matches .* decides the verdict/);
    } finally {
      await bench.close();
    }
  });

  it('make the verdict AI if listed as fakes, and change no verdict if listed as genuine', async () => {
    const bench = await openBench('sqlite', { knownDecides: true });
    try {
      const key = await bench.newKey();
      const { database, url } = bench;
      await keepHashes(database, await accountOf(database, key), true);
      const check = (image: Uint8Array = PORTRAIT) =>
        postForm(`${url}/v1/check?include=reasons,seen`, key, 'file', [image]);
      assert.equal((await check()).body.is_ai, false);
      const hash = await hashFor(PORTRAIT);
      const genuine = await addKnown(database, { label: 'genuine', note: '', source: null }, hash);
      assert.equal((await check()).body.is_ai, false);
      await removeKnown(database, genuine.id);
      await addKnown(database, { label: 'fake', note: '', source: null }, hash);
      const { body } = await check();
      assert.deepEqual([body.is_ai, body.fired], [true, []]);
      assert.match(
        body.reason,
        /^AI detected: the image matches .* lists as fake, which decides the verdict; /,
      );
      assert.ok(!body.details?.reasons?.some(({ code }) => code === 'no_proof'));
      const headers = { authorization: `Bearer ${key}` };
      assert.equal((await send(`${url}/v1/checks/${body.id}`, { headers })).body.is_ai, true);
      assert.equal((await check(await copyOf(PORTRAIT))).body.is_ai, true);
      // A known image that an earlier version added has no grey levels. It is only named in the reason.
      await database.run((queries) => queries('known_images').update({ levels: null }));
      const undecided = (await check()).body;
      assert.equal(undecided.is_ai, false);
      assert.match(undecided.reason, /lists as fake, which does not decide the verdict/);
    } finally {
      await bench.close();
    }
  });
});
