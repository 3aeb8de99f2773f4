// Tests `telltale known`, and `telltale accounts seen`, which must be enabled first.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findAccount } from '../../../src/accounts/accounts.js';
import { findHashing } from '../../../src/accounts/seen/seen.js';
import { openDatabase } from '../../../src/storage/db/database.js';
import { makeFolder } from '../../support/folders.js';
import { drawBmp } from '../../support/images.js';
import { callTelltale, ROOT } from '../../support/telltale.js';
import { modelsDir } from '../../support/test-models.js';

const PORTRAIT = join(ROOT, 'samples/portrait.png');

describe('telltale known (manages images known as fake or genuine)', () => {
  const folder = makeFolder('known');
  const env = { TELLTALE_DATA_DIR: folder, TELLTALE_MODELS_DIR: modelsDir };
  const known = (...args: string[]) => callTelltale(['known', ...args], { env });

  it('adds, lists and removes known images', async () => {
    const facts = ['--label', 'fake', '--note', 'a swap', '--source', 'https://example.org/case'];
    const added = await known('add', PORTRAIT, ...facts, '--json');
    assert.equal(added.status, 0, added.stderr);
    const image = JSON.parse(added.stdout) as Record<string, string>;
    const { id = '', created_at: at = '', ...said } = image;
    assert.match(id, /^kno_[0-9A-HJKMNP-TV-Z]{26}$/);
    assert.ok(Date.parse(at) <= Date.now());
    assert.deepEqual(said, {
      label: 'fake',
      note: 'a swap',
      source: 'https://example.org/case',
      can_decide: true,
      has_thumbnail: true,
    });
    const duplicate = await known('add', PORTRAIT, '--label', 'genuine');
    assert.notEqual(duplicate.status, 0);
    assert.match(duplicate.stderr, new RegExp(`already listed as fake \\(${id}: a swap\\)`));
    const genuine = await known('add', join(ROOT, 'samples/scene.jpg'), '--label', 'genuine');
    assert.match(
      genuine.stdout,
      /^ID +LABEL +SINCE +DECIDES +NOTE +SOURCE\nkno_\w{26} +genuine +\d{4}-\d\d-\d\d +-\n/,
    );
    const list = await known('list', '--json');
    assert.deepEqual(
      (JSON.parse(list.stdout) as { label: string }[]).map(({ label }) => label),
      ['fake', 'genuine'],
    );
    assert.match(
      (await known('list')).stdout,
      new RegExp(`${id} +fake .* a swap +https://example.org/case\n`),
    );
    const database = await openDatabase({ kind: 'sqlite', path: join(folder, 'telltale.sqlite') });
    try {
      await database.run((queries) => queries('known_images').where({ id }).update({ levels: null }));
    } finally {
      await database.close();
    }
    assert.match((await known('list')).stdout, new RegExp(`${id} +fake .* no: add it again +a swap`));
    assert.match((await known('remove', id)).stdout, new RegExp(`^${id}: removed`));
    assert.equal((JSON.parse((await known('list', '--json')).stdout) as unknown[]).length, 1);
    const again = await known('remove', id);
    assert.deepEqual([again.status, again.stdout], [2, '']);
    assert.match(again.stderr, new RegExp(`there is no known image '${id}'`));
  });

  it('stores nothing for an image that cannot be compared, and explains why', async () => {
    const blank = join(folder, 'blank.bmp');
    writeFileSync(
      blank,
      drawBmp(400, 300, () => [200, 200, 200]),
    );
    const text = join(folder, 'text.jpg');
    writeFileSync(text, 'no image');
    const before = (await known('list', '--json')).stdout;
    for (const [args, says] of [
      [['add', blank, '--label', 'fake'], /too little detail to be recognised/],
      [['add', text, '--label', 'fake'], /file format is not supported\. Send JPEG, PNG/],
      [['add', join(folder, 'missing.jpg'), '--label', 'fake'], /there is no such file/],
      [['add', PORTRAIT, '--label', 'fake', '--source', 'javascript:alert(1)'], /Expected an http or https/],
      [
        ['add', PORTRAIT, '--label', 'fake', '--note', 'a\u202eb'],
        /Expected a note of at most 200 printable/,
      ],
      [['add', PORTRAIT], /Expected --label, one of fake, genuine/],
      [
        ['add', PORTRAIT, '--label', 'unsure'],
        /Expected one of fake, genuine for --label but received 'unsure'/,
      ],
      [['list', '--note', 'x'], /belong to 'add'/],
      [['remove'], /Expected 'add FILE', 'list' or 'remove ID'/],
    ] as const) {
      const { status, stdout, stderr } = await known(...args);
      assert.ok(status !== 0 && stdout === '', args.join(' '));
      assert.match(stderr, says, args.join(' '));
    }
    assert.equal((await known('list', '--json')).stdout, before);
  });

  it('requires image hashes to be enabled for the account; another command enables and disables them', async () => {
    const accounts = (...args: string[]) => callTelltale(['accounts', ...args], { env });
    await accounts('create', 'acme');
    const database = await openDatabase({ kind: 'sqlite', path: join(folder, 'telltale.sqlite') });
    try {
      const { id } = (await findAccount(database, 'acme'))!;
      const isOn = async () => (await findHashing(database, [id])).has(id);
      const on = await accounts('seen', 'acme', 'on');
      assert.equal(on.status, 0, on.stderr);
      assert.ok(await isOn());
      assert.equal((await accounts('seen', 'acme', 'off')).status, 0);
      assert.ok(!(await isOn()));
      assert.equal((await accounts('seen', 'acme', 'maybe')).status, 2);
      assert.equal((await accounts('seen', 'nobody', 'on')).status, 2);
    } finally {
      await database.close();
    }
  });
});
