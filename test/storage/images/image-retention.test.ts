// Tests stored images: stored once per account and content, safely on disk before they count, and deleted by
// age.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createAccount } from '../../../src/accounts/accounts.js';
import type { Database } from '../../../src/storage/db/database.js';
import type { ImageStore } from '../../../src/storage/images/image-store.js';
import { openImageStore } from '../../../src/storage/images/open-image-store.js';
import { createImageRetention } from '../../../src/storage/images/image-retention.js';
import { describeOnEachDatabase } from '../../support/databases.js';
import { makeFolder } from '../../support/folders.js';

/** A row of stored images. */
interface Row {
  readonly id: string;
  readonly account_id: string;
  readonly stored_at: number | null;
}

async function read(store: ImageStore, key: string): Promise<Buffer | null> {
  const bytes = await store.open(key);
  return bytes && buffer(bytes);
}

describeOnEachDatabase('stored images', (bench) => {
  const folder = makeFolder('store');
  let database: Database;
  let store: ImageStore;
  let accountId: string;
  let accounts = 0;

  before(async () => {
    database = await bench.open();
    store = await openImageStore({ kind: 'folder', path: join(folder, 'images') });
  });
  beforeEach(async () => {
    accountId = (await createAccount(database, `retention ${(accounts += 1)}`)).id;
  });
  after(() => {});

  const files = (): string[] => {
    const path = join(folder, 'images', accountId);
    return existsSync(path) ? readdirSync(path) : [];
  };
  const rows = (): Promise<Row[]> =>
    database.run((queries) => queries<Row>('images').where({ account_id: accountId }).select());

  it('are deleted with the last check that refers to them', async () => {
    const retention = createImageRetention(database, store, 30);
    const [gone, named, fresh] = [
      await retention.keep(accountId, Buffer.from('gone'), 'png'),
      await retention.keep(accountId, Buffer.from('named'), 'png'),
      await retention.keep(accountId, Buffer.from('fresh'), 'png'),
    ];
    await database.run((queries) =>
      queries('images')
        .whereIn('id', [gone.id, named.id])
        .update({ expires_at: Date.now() + 28 * 86_400_000 }),
    );
    const check = {
      id: `chk_${named.id}`,
      account_id: accountId,
      plan: 'growth',
      request_id: 'r',
      created_at: Date.now(),
      is_ai: 0,
      fired: '',
      profile: 'balanced',
      model: 'm',
      bands_version: 'b',
      latency_ms: 1,
      image_id: named.id,
    };
    await database.run((queries) => queries('checks').insert(check));
    const unknown = 'img_unknown';
    await retention.release(new Set([gone.id, named.id, fresh.id, unknown]));
    await retention.sweep();
    assert.deepEqual((await rows()).map(({ id }) => id).sort(), [named.id, fresh.id].sort());
    assert.equal(files().length, 2);
    assert.equal(await retention.open(accountId, gone.id), null);
  });

  it('are deleted with their last check, even if they were stored while images were kept longer', async () => {
    const { id } = await createImageRetention(database, store, 90).keep(
      accountId,
      Buffer.from('old'),
      'jpeg',
    );
    const retention = createImageRetention(database, store, 30);
    await retention.release(new Set([id]));
    assert.equal(await retention.sweep(), 1);
    assert.equal(await retention.open(accountId, id), null);
  });

  it('are stored byte for byte, and identical images of an account only once', async () => {
    const retention = createImageRetention(database, store, 30);
    const bytes = Buffer.from('one image');
    const first = await retention.keep(accountId, bytes, 'jpeg');
    const second = await retention.keep(accountId, bytes, 'jpeg');
    await retention.keep(accountId, Buffer.from('another'), 'jpeg');
    assert.equal(first.id, second.id);
    assert.deepEqual([first.isNew, second.isNew], [true, false]);
    assert.deepEqual(await read(store, `${accountId}/${first.id}`), bytes);
    assert.equal(files().length, 2);
    assert.equal((await rows()).length, 2);
  });

  it('are stored only once if the same image is sent twelve times concurrently', async () => {
    const retention = createImageRetention(database, store, 30);
    const kept = await Promise.all(
      Array.from({ length: 12 }, () => retention.keep(accountId, Buffer.from('crowd'), 'png')),
    );
    assert.equal(new Set(kept.map(({ id }) => id)).size, 1);
    assert.equal(files().length, 1);
  });

  it('are deleted if their check fails, unless another check uses them', async () => {
    const retention = createImageRetention(database, store, 30);
    await retention.discard(await retention.keep(accountId, Buffer.from('alone'), 'png'));
    assert.deepEqual(files(), []);
    const first = await retention.keep(accountId, Buffer.from('shared'), 'png');
    await new Promise((resolve) => setTimeout(resolve, 5));
    await retention.keep(accountId, Buffer.from('shared'), 'png');
    await retention.discard(first);
    assert.equal(files().length, 1);
  });

  it('are deleted after their retention period, together with files left by a crashed process', async () => {
    const retention = createImageRetention(database, store, 30);
    await retention.keep(accountId, Buffer.from('old'), 'png');
    await database.run((queries) =>
      queries('images').where({ account_id: accountId }).update({ expires_at: 1 }),
    );
    const young = await retention.keep(accountId, Buffer.from('young'), 'png');
    const left = {
      id: 'img_left',
      account_id: accountId,
      sha256: 'x',
      format: 'png',
      size_bytes: 1,
      stored_at: null,
      expires_at: 1,
    };
    await database.run((queries) => queries('images').insert(left));
    await retention.sweep();
    assert.deepEqual(files(), [young.id]);
    assert.deepEqual(
      (await rows()).map(({ id }) => id),
      [young.id],
    );
  });

  it('are all deleted in one clean-up when they expire, even if one deletion fails', async () => {
    const images = Array.from({ length: 450 }, (_, at) => ({
      id: `img_${accountId}_${at}`,
      account_id: accountId,
      sha256: String(at),
      format: 'png',
      size_bytes: 1,
      stored_at: 1,
      expires_at: 1,
    }));
    for (let at = 0; at < images.length; at += 50)
      await database.run((queries) => queries('images').insert(images.slice(at, at + 50)));
    const stuck = `${accountId}/${images[0]!.id}`;
    const failing: ImageStore = {
      ...store,
      delete: (key) => (key === stuck ? Promise.reject(new Error('EIO')) : store.delete(key)),
    };
    await assert.rejects(createImageRetention(database, failing, 30).sweep(), /EIO/);
    assert.deepEqual(
      (await rows()).map(({ id, stored_at: at }) => [id, at]),
      [[images[0]!.id, null]],
    );
    assert.equal(await createImageRetention(database, store, 30).sweep(), 0, 'it waits for ten minutes');
    await createImageRetention(database, store, 30).eraseAll(accountId);
    assert.deepEqual(await rows(), []);
  });

  it('leave nothing behind if storing an image fails', async () => {
    const path = join(folder, 'no-folder');
    writeFileSync(path, '');
    const broken = createImageRetention(database, await openImageStore({ kind: 'folder', path }), 30);
    await assert.rejects(broken.keep(accountId, Buffer.from('x'), 'png'));
    assert.deepEqual(
      (await rows()).filter(({ stored_at }) => stored_at !== null),
      [],
    );
  });
});

describe('the S3 image store', () => {
  let server: Server;
  const objects = new Map<string, Buffer>();
  const requests: { method: string; path: string; authorization: string }[] = [];
  const saved = { ...process.env };

  // Starts a server for the part of the S3 protocol that is used: PUT, GET and DELETE of an object by path.
  before((done) => {
    server = createServer((req, res) => {
      const path = decodeURIComponent(req.url!.split('?')[0]!);
      requests.push({ method: req.method!, path, authorization: req.headers.authorization ?? '' });
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        if (req.method === 'PUT') objects.set(path, Buffer.concat(chunks));
        if (req.method === 'DELETE') objects.delete(path);
        const found = objects.get(path);
        if (req.method !== 'GET') return res.writeHead(req.method === 'PUT' ? 200 : 204).end();
        if (found) return res.end(found);
        return res
          .writeHead(404, { 'content-type': 'application/xml' })
          .end('<Error><Code>NoSuchKey</Code></Error>');
      });
    }).listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      Object.assign(process.env, {
        AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
        AWS_REGION: 'eu-central-1',
        AWS_ACCESS_KEY_ID: 'id',
        AWS_SECRET_ACCESS_KEY: 'secret',
      });
      done();
    });
  });
  after(() => {
    process.env = saved;
    server.close();
  });

  it('writes, reads and deletes objects below its prefix with signed requests', async () => {
    const store = await openImageStore({ kind: 's3', bucket: 'pictures', prefix: 'kept' });
    const bytes = Buffer.alloc(300_000, 7);
    await store.put('acc_1/img_1', bytes, AbortSignal.timeout(10_000));
    assert.deepEqual([...objects.keys()], ['/pictures/kept/acc_1/img_1']);
    assert.deepEqual(objects.get('/pictures/kept/acc_1/img_1'), bytes);
    assert.deepEqual(await read(store, 'acc_1/img_1'), bytes);
    await store.delete('acc_1/img_1');
    assert.equal(await store.open('acc_1/img_1'), null);
    for (const { authorization } of requests)
      assert.match(authorization, /^AWS4-HMAC-SHA256 Credential=id\//);
    store.close();
  });
});
