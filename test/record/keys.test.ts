// Tests validity periods of signing keys, which limit the use of a stolen key, identifiers of keys, and where private keys
// are stored.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openKeyFile } from '../../src/record/keys/key-file.js';
import { loadKeySet, presentKeys } from '../../src/record/keys/key-set.js';
import {
  generateSigner,
  publicPem,
  type PublicKey,
  type RecordKeys,
  KEEP_MS,
  explainWrongPeriod,
} from '../../src/record/keys/keys.js';
import { openRecordKeys } from '../../src/service/record-keys/open-keys.js';
import { describeOnEachDatabase } from '../support/databases.js';
import { makeFolder } from '../support/folders.js';

const HOUR_MS = 3_600_000;
const at = (ms: number): string => new Date(Date.now() + ms).toISOString();
const why = (
  key: PublicKey | undefined,
  time: string,
  source: 'check' | 'history' = 'check',
): string | null => explainWrongPeriod(key!, { time, source }, Date.now());

/** Asserts the validity periods in any key store, with a first key that was replaced by a second one. */
async function assertPeriods(keys: RecordKeys): Promise<void> {
  const first = (await keys.signer()).publicKey.kid;
  await keys.rotate();
  const [present, former] = await keys.publicKeys();
  assert.equal(former?.kid, first);
  assert.ok(Date.parse(former.signs_until!) >= Date.now() + KEEP_MS - 60_000);
  assert.equal(present?.signs_until, undefined);
  for (const key of [present, former]) {
    assert.equal(why(key, at(0)), null);
    assert.match(why(key, '2031-01-01T00:00:00.000Z') ?? '', /not at 2031/);
    assert.match(why(key, at(-HOUR_MS)) ?? '', /which signs from/);
    assert.equal(why(key, at(-HOUR_MS), 'history'), null);
    assert.match(why(key, '2031-01-01T00:00:00.000Z', 'history') ?? '', /not at 2031/);
  }
  // Revokes the key that signs now.
  await keys.revoke(present!.kid);
  const [next, revoked, oldest] = await keys.publicKeys();
  assert.equal((await keys.signer()).publicKey.kid, next?.kid);
  assert.deepEqual([revoked?.kid, oldest?.kid], [present!.kid, first]);
  assert.match(why(revoked, at(0)) ?? '', /revoked on .* none of its records counts/);
  assert.equal(why(oldest, at(0)), null);
  await keys.revoke(first);
  assert.ok((await keys.publicKeys())[2]?.revoked_at);
  await assert.rejects(keys.revoke('nobody'), { name: 'RecordFault' });
}

describe('signing keys', () => {
  it('never have an identifier that a command would take for an option', () => {
    for (let i = 0; i < 600; i++) assert.doesNotMatch(generateSigner().publicKey.kid, /^-/);
  });
});

describe('the validity period of a signing key', () => {
  const folder = makeFolder('key-times');

  it('is stored in the key’s file in a form that other PEM readers accept', async () => {
    const path = join(folder, 'key.pem');
    await assertPeriods(openKeyFile(path, true));
    assert.equal((await readFile(path, 'utf8')).match(/BEGIN PRIVATE/g)?.length, 1);
  });

  it('is published, and can be read from the published key', async () => {
    const keys = openKeyFile(join(folder, 'other.pem'), true);
    await keys.signer();
    await keys.rotate();
    const path = join(folder, 'set.json');
    await writeFile(path, JSON.stringify(presentKeys(await keys.publicKeys())));
    assert.deepEqual(await loadKeySet(path), await keys.publicKeys());
  });
});

describeOnEachDatabase('the validity period of a signing key in the database', (bench) => {
  it('is stored in the database together with the key, and the private key is removed from its original file', async () => {
    const dataDir = makeFolder('key-times');
    const settings = { recordKeyFile: null, dataDir };
    const path = join(dataDir, 'record-key.pem');
    const file = openRecordKeys(settings, null);
    await file.signer();
    await file.rotate();
    const inFile = await file.publicKeys();
    const database = await bench.open();
    const keys = openRecordKeys(settings, database);
    await keys.signer();
    assert.ok(!existsSync(path));
    const taken = await keys.publicKeys();
    assert.deepEqual(
      taken.map(({ kid, signs_from: from }) => [kid, from]),
      inFile.map(({ kid, signs_from: from }) => [kid, from]),
    );
    await database.run((queries) => queries('record_keys').where('number', '<=', 0).delete());
    await database.run((queries) => queries('record_keys').update({ signs_from: Date.now() }));
    await assertPeriods(keys);
  });

  it('is derived from the next key if an earlier version stored none, and the key’s file is removed at the next start', async () => {
    const dataDir = makeFolder('key-times');
    const path = join(dataDir, 'record-key.pem');
    const [old, young] = [generateSigner(), generateSigner()];
    const database = await bench.open();
    const created = Date.now() - HOUR_MS;
    await database.run((queries) => queries('record_keys').delete());
    await database.run((queries) =>
      queries('record_keys').insert([
        { number: 1, public_x: old.publicKey.x, private_pem: null, created_at: created - HOUR_MS },
        { number: 2, public_x: young.publicKey.x, private_pem: young.pem, created_at: created },
      ]),
    );
    const former = generateSigner();
    await writeFile(path, old.pem + publicPem(former.publicKey));
    const keys = openRecordKeys({ recordKeyFile: null, dataDir }, database);
    const [present, first, zeroth] = await keys.publicKeys();
    assert.ok(!existsSync(path));
    assert.deepEqual([first?.kid, zeroth?.kid], [old.publicKey.kid, former.publicKey.kid]);
    assert.equal(present?.signs_from, new Date(created).toISOString());
    assert.deepEqual(
      [first?.signs_from, first?.signs_until],
      [undefined, new Date(created + KEEP_MS).toISOString()],
    );
    assert.match(why(first, at(0)) ?? '', /which signs until/);
    assert.equal(why(first, at(-5 * HOUR_MS)), null);
  });
});
