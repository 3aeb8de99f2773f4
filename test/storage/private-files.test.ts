// Tests that only the service's user can read its files: keys, secrets and images.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFolderStore } from '../../src/storage/images/open-image-store.js';
import { closeDataFolder } from '../../src/storage/private-files.js';
import { openDatabase } from '../../src/storage/db/database.js';
import { migrate } from '../../src/storage/db/migrate.js';
import { openRecordKeys } from '../../src/service/record-keys/open-keys.js';
import { makeFolder } from '../support/folders.js';

describe('the service’s files', () => {
  let folder: string;
  let before: number;

  beforeEach(() => {
    // The umask of most systems.
    before = process.umask(0o022);
    folder = makeFolder('modes');
    chmodSync(folder, 0o755);
  });

  afterEach(() => {
    process.umask(before);
  });

  /** Returns `root` and every path below it to which other users have access. */
  const openPaths = (root: string): string[] =>
    [root, ...readdirSync(root, { recursive: true }).map((name) => join(root, String(name)))].filter(
      (path) => (statSync(path).mode & 0o077) !== 0,
    );

  const work = async (dataDir: string): Promise<() => Promise<void>> => {
    await closeDataFolder(dataDir);
    const database = await openDatabase({ kind: 'sqlite', path: join(dataDir, 'telltale.sqlite') });
    await migrate(database);
    await openRecordKeys({ recordKeyFile: null, dataDir }, null).signer();
    const store = createFolderStore(join(dataDir, 'images'));
    await store.put('acc_1/img_1', Buffer.from('picture'), new AbortController().signal);
    return () => database.close();
  };

  it('are created with access for the service’s user only, including the log and index files of SQLite', async () => {
    const dataDir = join(folder, 'deep', 'data');
    const close = await work(dataDir);
    try {
      const names = readdirSync(dataDir);
      for (const name of ['telltale.sqlite', 'telltale.sqlite-wal', 'telltale.sqlite-shm', 'record-key.pem'])
        assert.ok(names.includes(name), names.join());
      assert.deepEqual(openPaths(join(folder, 'deep')), []);
    } finally {
      await close();
    }
  });

  it('become private if an earlier version left them accessible to other users', async () => {
    const dataDir = join(folder, 'data');
    for (const part of ['images', 'engine-cache'])
      mkdirSync(join(dataDir, part), { recursive: true, mode: 0o755 });
    for (const name of ['telltale.sqlite', 'telltale.sqlite-wal', 'telltale.sqlite-shm'])
      writeFileSync(join(dataDir, name), '', { mode: 0o644 });
    assert.notEqual(openPaths(dataDir).length, 0);
    const close = await work(dataDir);
    try {
      assert.deepEqual(openPaths(dataDir), []);
    } finally {
      await close();
    }
  });

  it('are private even outside the data folder, but the permissions of a shared folder do not change', async () => {
    const shared = join(folder, 'shared');
    mkdirSync(shared, { mode: 0o755 });
    const path = join(shared, 'telltale.sqlite');
    const database = await openDatabase({ kind: 'sqlite', path });
    await migrate(database);
    try {
      assert.deepEqual(openPaths(shared), [shared]);
    } finally {
      await database.close();
    }
  });

  it('keep their permissions if they are trust lists, which are public', async () => {
    const dataDir = join(folder, 'data');
    mkdirSync(join(dataDir, 'trust'), { recursive: true, mode: 0o755 });
    writeFileSync(join(dataDir, 'trust', 'own.pem'), '', { mode: 0o644 });
    await closeDataFolder(dataDir);
    assert.equal(statSync(join(dataDir, 'trust', 'own.pem')).mode & 0o777, 0o644);
    assert.equal(statSync(dataDir).mode & 0o777, 0o700);
  });

  it('lead to a clear error if their folder cannot be created', async () => {
    for (const path of ['/proc/telltale', '/proc/telltale/below', '/dev/null/below'])
      await assert.rejects(
        closeDataFolder(path),
        { code: 'config_invalid', message: /can't be created/ },
        path,
      );
  });
});
