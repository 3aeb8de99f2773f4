// Tests accounts, API keys and plans on the command line.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../support/folders.js';
import { callTelltale, runTelltale, type Finished } from '../../support/telltale.js';

/** Fields of the JSON for accounts and keys. Each test reads only some of them. */
interface Printed {
  readonly id: string;
  readonly name: string;
  readonly plan: string | null;
  readonly key: string;
  readonly scopes: readonly string[];
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly scan_prefix: string | null;
}

/**
 * Returns folders in which this user can't create a file. The list is empty for root unless the machine has a
 * /sys folder.
 */
function forbiddenFolders(): string[] {
  const ownFolder = makeFolder('keys-read-only');
  chmodSync(ownFolder, 0o500);
  return [ownFolder, '/sys'].filter((path) => {
    const file = join(path, 'telltale-probe');
    try {
      writeFileSync(file, '');
      rmSync(file);
      return false;
    } catch (error) {
      return ['EACCES', 'EROFS', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '');
    }
  });
}

describe('telltale accounts, telltale keys and telltale plans', () => {
  let env: Record<string, string>;
  before(() => {
    env = { TELLTALE_DATA_DIR: makeFolder('keys') };
  });

  const run = (...args: string[]): Promise<Finished> => callTelltale(args, { env });
  const read = async (...args: string[]): Promise<unknown> =>
    JSON.parse((await run(...args, '--json')).stdout) as unknown;
  const readOne = async (...args: string[]): Promise<Printed> => (await read(...args)) as Printed;
  const readList = async (...args: string[]): Promise<Printed[]> => (await read(...args)) as Printed[];

  it('say on standard error that a list is empty', async () => {
    const printed = await run('keys', 'list', '--account', 'Nobody yet');
    assert.deepEqual([printed.stdout, printed.stderr], ['', 'telltale: the list is empty\n']);
    assert.deepEqual(await readList('keys', 'list', '--account', 'Nobody yet'), []);
  });

  it('create, list and revoke API keys', async () => {
    const account = await readOne('accounts', 'create', 'Example Ltd');
    assert.match(account.id, /^acc_/);
    const key = await readOne(
      'keys',
      'create',
      '--account',
      'Example Ltd',
      '--plan',
      'growth',
      '--name',
      'web',
    );
    assert.deepEqual(Object.keys(key), ['id', 'account', 'plan', 'key']);
    assert.match(key.key, new RegExp(`^tt_live_${key.id}_[0-9a-z]{32}$`));
    const usageOnly = await readOne(
      'keys',
      'create',
      '--account',
      'Other',
      '--plan',
      'free',
      '--scopes',
      'usage',
      '--expires',
      '2099-12-31',
    );
    const [listed] = await readList('keys', 'list', '--account', 'Other');
    assert.deepEqual(listed?.scopes, ['usage']);
    assert.equal(listed.expires_at, '2100-01-01T00:00:00.000Z');
    assert.deepEqual(
      (await readList('accounts', 'list')).map(({ name }) => name),
      ['Example Ltd', 'Other'],
    );
    assert.ok((await readOne('keys', 'revoke', usageOnly.id)).revoked_at);
    // Runs a separate process, because only the end of a process shows that nothing keeps it alive.
    const { stdout } = await runTelltale(['keys', 'list'], { env });
    assert.ok(stdout.includes('revoked') && !stdout.includes(key.key));
  });

  it('create sandbox keys and mark them as sandbox keys in every list', async () => {
    const key = (await read(
      'keys',
      'create',
      '--account',
      'Tester',
      '--plan',
      'free',
      '--sandbox',
    )) as Printed & {
      readonly sandbox: boolean;
    };
    assert.match(key.key, new RegExp(`^tt_test_${key.id}_[0-9a-z]{32}$`));
    assert.equal(key.sandbox, true);
    assert.deepEqual((await readList('keys', 'list', '--account', 'Tester'))[0]?.scopes, ['sandbox']);
    assert.match((await run('keys', 'list', '--account', 'Tester')).stdout, /  sandbox  /);
    assert.match((await run('keys', 'create', '--account', 'Tester', '--sandbox')).stdout, /, sandbox\)/);
    assert.ok((await readOne('keys', 'revoke', key.id)).revoked_at);
    const both = ['keys', 'create', '--account', 'Tester', '--sandbox', '--scopes', 'check'];
    assert.equal((await run(...both)).status, 2);
  });

  it('replace a key by a successor and print until when the old key still works', async () => {
    const { id } = await readOne('keys', 'create', '--account', 'Rolled', '--plan', 'free', '--name', 'web');
    const rolled = await readOne('keys', 'roll', id, '--overlap', '24h');
    assert.match(rolled.key, new RegExp(`^tt_live_${rolled.id}_`));
    const { former } = rolled as unknown as { former: { id: string; expires_at: string } };
    const hours = (Date.parse(former.expires_at) - Date.now()) / 3_600_000;
    assert.ok(former.id === id && hours > 23.9 && hours <= 24, former.expires_at);
    const names = (await readList('keys', 'list', '--account', 'Rolled')).map(({ name }) => name);
    assert.deepEqual(names, ['web', 'web']);
    const shown = await run('keys', 'roll', rolled.id, '--overlap', '0');
    assert.match(shown.stdout, /^tt_live_\S+\nThis is the only time the key is shown\. The former one, /);
    for (const args of [
      [id],
      [id, '--overlap', '1w'],
      [id, id, '--overlap', '1h'],
      [rolled.id, '--overlap', '1h'],
    ])
      assert.equal((await run('keys', 'roll', ...args)).status, 2, args.join(' '));
  });

  it('set and remove the object name prefix that limits an account’s scans of the operator’s bucket', async () => {
    const { id, scan_prefix: none } = await readOne('accounts', 'create', 'Reader');
    assert.equal(none, null);
    for (const [given, stored] of [
      ['acme', 'acme/'],
      ['a/b/', 'a/b/'],
      ['/', '/'],
      ['', null],
    ])
      // prettier-ignore
      assert.equal((await readOne('accounts', 'prefix', 'Reader', given!)).scan_prefix, stored);
    await run('accounts', 'prefix', 'Reader', 'acme');
    const { stdout } = await run('accounts', 'list');
    assert.match(stdout, /^ID +PLAN +SINCE +BUCKET +NAME\n/);
    assert.match(stdout, new RegExp(`\n${id}  none +\\d{4}-\\d\\d-\\d\\d  acme/ +Reader\n`));
  });

  it('refuse invalid arguments with exit code 2', async () => {
    const calls = [['keys'], ['keys', 'create', '--account', 'a'], ['keys', 'create', '--account', 'a', '--plan', 'gold'], ['keys', 'create', '--account', 'a', '--plan', 'free', '--scopes', 'all'], ['keys', 'create', '--account', 'a', '--plan', 'free', '--expires', 'soon'], ['keys', 'create', '--account', 'a', '--plan', 'free', '--expires', '2024-01-01'], ['keys', 'create', '--account', 'Other', '--plan', 'scale'], ['accounts', 'plan', 'Other', 'gold'], ['accounts', 'plan', 'Nobody', 'free'], ['accounts', 'create'], ['accounts', 'drop', 'a'], ['accounts', 'prefix', 'Other'], ['accounts', 'prefix', 'Nobody', 'a/'], ['accounts', 'prefix', 'Other', 's3://bucket/a'], ['accounts', 'prefix', 'Other', '/a'], ['plans', 'extra']]; // prettier-ignore
    for (const args of calls) assert.equal((await run(...args)).status, 2, args.join(' '));
  });

  it('change the plan of an account and of its keys, except keys that are limited to a smaller plan', async () => {
    await run('keys', 'create', '--account', 'Grower', '--plan', 'free');
    assert.equal((await readOne('accounts', 'plan', 'Grower', 'scale')).plan, 'scale');
    await run('keys', 'create', '--account', 'Grower');
    await run('keys', 'create', '--account', 'Grower', '--plan', 'free');
    const keys = await readList('keys', 'list', '--account', 'Grower');
    assert.deepEqual(
      keys.map(({ plan }) => plan),
      ['scale', 'scale', 'free'],
    );
    assert.match(
      (await run('keys', 'list', '--account', 'Grower')).stdout,
      /^ID +PLAN .*\n.*free \(of scale\)/s,
    );
  });

  it('exit with code 1 if a key does not exist', async () => {
    assert.equal((await run('keys', 'revoke', 'nothing0')).status, 1);
  });

  it('explain why the database is unavailable', async () => {
    const folder = makeFolder('keys');
    writeFileSync(join(folder, 'telltale.sqlite'), randomBytes(5000));
    const cases: readonly [Record<string, string>, RegExp][] = [
      [{ TELLTALE_DATA_DIR: folder }, /file is not a database/],
      [{ TELLTALE_DATA_DIR: '/proc/x' }, /the folder \/proc\/x can't be created \(ENOENT\)/],
      ...forbiddenFolders().map((path): [Record<string, string>, RegExp] => [
        { TELLTALE_DATA_DIR: path },
        /the file \S+\/telltale\.sqlite can't be created \(E(ACCES|ROFS|PERM)\)/,
      ]),
      [{ TELLTALE_DATABASE_URL: 'postgres://tt@127.0.0.1:1/tt' }, /ECONNREFUSED/],
    ];
    for (const [settings, cause] of cases) {
      const { status, stderr } = await callTelltale(['keys', 'list'], { env: { ...env, ...settings } });
      assert.equal(status, 1);
      assert.match(stderr, cause);
    }
  });

  it('print plans in the format of the plans file', async () => {
    assert.deepEqual(((await read('plans')) as Record<string, unknown>).free, {
      checks_per_month: 200,
      requests_per_second: 1,
      burst: 5,
      batch: false,
      scan_items: 0,
      scans_at_once: 0,
    });
    assert.match((await run('plans')).stdout, /scale +no limit/);
  });
});
