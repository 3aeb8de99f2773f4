// Tests parts of records: rates, keys in files and databases, and key sets.
import assert from 'node:assert/strict';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { migrate } from '../../src/storage/db/migrate.js';
import { cleanScore, cleanText } from '../../src/record/content/clean.js';
import { openKeyFile } from '../../src/record/keys/key-file.js';
import { loadKeySet, presentKeys } from '../../src/record/keys/key-set.js';
import { generateSigner, publicKeyOf, publicPem } from '../../src/record/keys/keys.js';
import { openRecordKeys } from '../../src/service/record-keys/open-keys.js';
import { loadMeasured, rateScore, tierOf } from '../../src/record/content/rates.js';
import { describeOnEachDatabase } from '../support/databases.js';
import { IMAGE } from '../support/evidence.js';
import { makeFolder } from '../support/folders.js';

describe('the rates by which a record explains a score', () => {
  const genuine = Array.from({ length: 100 }, (_, at) => at / 100);
  const cell = { plenty: { genuine, ai: genuine }, few: { genuine: [0.5], ai: [0.5] } };
  const measured = { model: 'telltale-1.0.0', tiers: { clean: cell, web: cell, hard: cell } };

  it('state the share of images with at least this score, with a confidence interval, unless there are too few images', () => {
    const { kinds } = rateScore(measured, 0.9, 'clean', ['plenty', 'few', 'unknown']);
    assert.deepEqual(
      kinds.map(({ kind, genuine: share }) => [kind, share?.fired ?? null, share?.pictures ?? null]),
      [['all', 10, 101], ['plenty', 10, 100], ['few', null, null], ['unknown', null, null]], // prettier-ignore
    );
    // Published interval of Wilson for 10 of 100.
    const { low, high } = kinds[1]!.genuine!;
    assert.deepEqual([low.toFixed(4), high.toFixed(4)], ['0.0552', '0.1744']);
    const none = rateScore(measured, 1, 'clean', []).kinds[0]!.genuine!;
    assert.equal(none.low, 0);
    assert.ok(none.high > 0.03 && none.high < 0.04);
  });

  it('prevent the service from starting if they are invalid, and are ignored if they belong to another model', async () => {
    const folder = makeFolder('rates');
    const write = async (content: object): Promise<void> => {
      await mkdir(join(folder, 'face_specialist'), { recursive: true });
      await writeFile(join(folder, 'face_specialist', 'rates.json'), JSON.stringify(content));
    };
    const file = { id: 'face_specialist', ...measured };
    await write(file);
    assert.deepEqual(await loadMeasured(folder, measured.model), { fullImage: null, face: file });
    assert.equal((await loadMeasured(folder, 'telltale-2.0.0')).face, null);
    const faults: readonly (readonly [object, RegExp])[] = [
      [{ ...file, modle: 'x' }, /'modle' is not known here; did you mean 'model'\?/],
      [{ ...file, tiers: { clean: cell, web: cell } }, /for 'tiers\.hard' but received nothing/],
      [
        { ...file, tiers: { ...file.tiers, hard: { few: { genuine: ['0.5'], ai: [] } } } },
        /tiers\.hard\.few\.genuine\.0/,
      ],
    ];
    for (const [content, message] of faults) {
      await write(content);
      await assert.rejects(loadMeasured(folder, measured.model), { code: 'model_invalid', message });
    }
  });

  it('are measured on images with a similar loss of quality', () => {
    const tier = (width: number, height: number, jpegQuality: number | null) =>
      tierOf({ ...IMAGE, width, height, jpegQuality });
    assert.equal(tier(4000, 3000, 95), 'clean');
    assert.equal(tier(4000, 3000, 60), 'web');
    assert.equal(tier(700, 768, 95), 'web');
    assert.equal(tier(512, 512, null), 'hard');
    assert.equal(tier(4000, 3000, null), 'clean');
  });
});

describe('the JSON form of values in a record', () => {
  it('is unique for each value, so that signatures can be verified', () => {
    assert.equal(cleanScore(0.1 + 0.2), 0.3);
    assert.equal(cleanScore(5e-7), 0);
    assert.equal(cleanScore(1e-6), 1e-6);
    assert.equal(cleanText('a'.repeat(20_001)).length, 20_000);
    assert.equal(cleanScore(null), null);
    assert.equal(cleanText('a\u0000b\u001fc\ud800d\n'), 'a\ufffdb\ufffdc\ufffdd\ufffd');
    assert.equal(cleanText('×😀'), '×😀');
  });
});

describe('the signing key of records in a file', () => {
  const folder = makeFolder('keys');

  it('is created only once and readable only by its owner, and former keys stay in the file', async () => {
    const path = join(folder, 'deep/record-key.pem');
    const openings = await Promise.all([1, 2, 3, 4].map(() => openKeyFile(path, true).signer()));
    assert.equal(new Set(openings.map(({ publicKey }) => publicKey.kid)).size, 1);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    const keys = openKeyFile(path, true);
    const second = await keys.rotate();
    const third = await keys.rotate();
    assert.deepEqual(
      (await keys.publicKeys()).map(({ kid }) => kid),
      [third, second, openings[0]!].map(({ publicKey }) => publicKey.kid),
    );
    assert.equal((await readFile(path, 'utf8')).match(/BEGIN PRIVATE/g)?.length, 1);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
  });

  it('is not replaced by a new key if the configured file is missing or damaged', async () => {
    const path = join(folder, 'set.pem');
    const keys = openRecordKeys({ recordKeyFile: path, dataDir: folder }, null);
    await assert.rejects(keys.signer(), /TELLTALE_RECORD_KEY.*rotate' creates it/);
    await keys.rotate();
    assert.equal((await keys.publicKeys()).length, 1);
    await writeFile(path, 'SECRET');
    await assert.rejects(keys.signer(), (error: Error) => !error.message.includes('SECRET'));
  });

  it('is read only from key sets and PEM files', async () => {
    const { publicKey } = generateSigner();
    const set = join(folder, 'set.json');
    await writeFile(set, JSON.stringify(presentKeys([publicKey])));
    assert.deepEqual(await loadKeySet(set), [publicKey]);
    await writeFile(set, publicPem(publicKey));
    assert.deepEqual(await loadKeySet(set), [publicKey]);
    // A key is identified by the hash of its value, even if the file states another identifier.
    await writeFile(set, JSON.stringify({ keys: [{ ...publicKey, kid: 'another' }, { kty: 'RSA' }, null] }));
    assert.deepEqual(await loadKeySet(set), [publicKey]);
    for (const text of ['{"keys":[]}', '{"keys":1}', '{', 'no key']) {
      await writeFile(set, text);
      await assert.rejects(loadKeySet(set), { name: 'RecordFault' });
    }
    await assert.rejects(loadKeySet('http://keys.example/keys.json'), /Expected an https address/);
    await assert.rejects(loadKeySet(join(folder, 'none')), { name: 'RecordFault' });
    assert.throws(() => publicKeyOf(`${publicKey.x.slice(0, -1)}B`), { name: 'RecordFault' });
  });
});

describeOnEachDatabase('the signing key of records in the database', (bench) => {
  it('is shared by all processes, moved from the data folder, and replaced for all processes at once', async () => {
    const dataDir = makeFolder('keys');
    const settings = { recordKeyFile: null, dataDir };
    const before = await openRecordKeys(settings, null).signer();
    const databases = await Promise.all([bench.open(), bench.open(), bench.open()]);
    await migrate(databases[0]);
    const stores = databases.map((database) => openRecordKeys(settings, database));
    for (const signer of await Promise.all(stores.map((keys) => keys.signer())))
      assert.equal(signer.publicKey.kid, before.publicKey.kid);
    const next = await stores[0]!.rotate();
    for (const keys of stores)
      assert.deepEqual(
        (await keys.publicKeys()).map(({ kid }) => kid),
        [next.publicKey.kid, before.publicKey.kid],
      );
    const secrets = await databases[0].run((queries) =>
      queries('record_keys').whereNotNull('private_pem').pluck<string[]>('number'),
    );
    assert.deepEqual(secrets.map(Number), [2]);
  });
});
