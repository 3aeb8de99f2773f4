// Tests the audit log of the command line: an entry for each change, printed as lines and as JSON.
import assert from 'node:assert/strict';
import { userInfo } from 'node:os';
import { COMMANDS } from '../../../src/cli/commands/registry.js';
import type { PresentedEntry } from '../../../src/accounts/audit.js';
import { makeFolder } from '../../support/folders.js';
import { callTelltale, fixture, type Finished } from '../../support/telltale.js';

/** Commands that write an audit entry, in an order in which each one has something to change. */
const CHANGING: readonly (readonly [action: string, what: string, ...args: string[]])[] = [
  ['accounts create', 'account.created', 'acme'],
  ['accounts plan', 'account.plan_changed', 'acme', 'growth'],
  ['accounts prefix', 'account.prefix_changed', 'acme', 'a/'],
  ['accounts seen', 'account.hashes_changed', 'acme', 'on'],
  ['accounts makers', 'account.maker_changed', 'acme', 'openai', '100'],
  ['known add', 'known_image.added', 'IMAGE', '--label', 'fake', '--json'],
  ['known remove', 'known_image.removed', 'KNOWN'],
  ['keys create', 'key.created', '--account', 'acme', '--json'],
  ['keys roll', 'key.rolled', 'KEY', '--overlap', '24h'],
  ['keys revoke', 'key.revoked', 'KEY'],
  ['members invite', 'member.invited', '--account', 'acme', '--email', 'ann@acme.example'],
  ['record key rotate', 'record_key.rotated'],
  ['record key revoke', 'record_key.revoked', 'KID'],
  ['accounts erase', 'account.erased', 'acme', '--yes'],
];

/** Commands that change nothing that the audit log covers, or that another test file covers. */
const OTHERS = [
  'accounts list',
  'accounts export',
  'keys list',
  'members list',
  // There is no member to remove before somebody followed a link. The console's tests cover the same
  // function.
  'members remove',
  // These commands need PostgreSQL. The console's tests cover the same functions.
  'webhooks create',
  'webhooks list',
  'webhooks events',
  'webhooks rotate',
  'record key show',
  'known list',
  'appeals list',
  'appeals links',
  // These commands need a check, an appeal or a link. Other tests cover the same functions.
  'appeals link',
  'appeals decide',
  'appeals revoke',
];

describe('the audit log of the command line', () => {
  let env: Record<string, string>;
  before(() => {
    env = { TELLTALE_DATA_DIR: makeFolder('audit') };
  });
  const run = (...args: string[]): Promise<Finished> => callTelltale(args, { env });
  const read = async (...args: string[]): Promise<PresentedEntry[]> => {
    const { status, stdout, stderr } = await run('audit', '--json', ...args);
    assert.equal(status, 0, stderr);
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as PresentedEntry);
  };

  it('covers every action of the account, key, member, webhook, image and appeal commands, except deliberate exclusions', async () => {
    const actions: string[] = [];
    for (const { name, load } of COMMANDS) {
      if (!['accounts', 'keys', 'members', 'webhooks', 'known', 'appeals'].includes(name)) continue;
      const { help } = await load();
      for (const [, action] of help.matchAll(/^(?:Usage:|) +telltale (\w+ \w+)/gm))
        actions.push(action ?? '');
    }
    const known = [...CHANGING.map(([action]) => action), ...OTHERS].filter(
      (one) => !one.startsWith('record'),
    );
    assert.deepEqual(actions.sort(), known.sort());
  });

  it('names the operating system user in the entry for each change', async () => {
    const found: Record<string, string> = { IMAGE: fixture('jpeg/scene.jpg') };
    for (const [action, what, ...args] of CHANGING) {
      if (action === 'record key revoke') {
        const shown = await run('record', 'key', 'show', '--json');
        found.KID = (JSON.parse(shown.stdout) as { keys: { kid: string }[] }).keys.at(-1)?.kid ?? '';
      }
      const before = (await read()).length;
      const done = await run(...action.split(' '), ...args.map((arg) => found[arg] ?? arg));
      assert.equal(done.status, 0, `${action}: ${done.stderr}`);
      if (action === 'keys create') found.KEY = (JSON.parse(done.stdout) as { id: string }).id;
      if (action === 'known add') found.KNOWN = (JSON.parse(done.stdout) as { id: string }).id;
      const all = await read();
      const entries = action === 'accounts erase' ? all.slice(-1) : all.slice(before);
      const entry = entries.find((one) => one.what === what);
      assert.ok(entry, `${action}: no ${what} among ${entries.map((one) => one.what).join(', ')}`);
      assert.deepEqual(entry.by, { kind: 'command', name: userInfo().username, address: null });
    }
  });

  it('is printed oldest first with one line per entry, filtered by days and kinds of change', async () => {
    await run('accounts', 'create', 'beta\u001b[2J');
    await run('accounts', 'plan', 'beta\u001b[2J', 'free');
    await run('keys', 'create', '--account', 'gamma', '--plan', 'free');
    const user = userInfo().username;
    const { stdout } = await run('audit', '--account', 'gamma');
    const lines = stdout.trimEnd().split('\n');
    assert.equal(lines.length, 3);
    assert.match(
      lines[0] ?? '',
      new RegExp(`^2\\S+Z account\\.created gamma by ${user} \\(command line\\) \\[plan: none\\]$`),
    );
    assert.match(lines[2] ?? '', /account\.plan_changed gamma by .* \[plan: none → free\]$/);
    assert.match(lines[1] ?? '', /key\.created \w{8} of gamma by .*scopes: check usage scan/);
    assert.equal((await read('--account', 'gamma', '--what', 'key')).length, 1);
    assert.equal((await read('--what', 'account.plan_changed', '--account', 'gamma')).length, 1);
    // The days of the entries, because midnight may pass during the test.
    const [first = '', last = ''] = [lines[0], lines[2]].map((line) => line?.slice(0, 10));
    assert.equal((await read('--account', 'gamma', '--since', first, '--until', last)).length, 3);
    assert.equal((await read('--account', 'gamma', '--since', '2999-01-01')).length, 0);
    assert.equal((await read('--account', 'gamma', '--until', '2020-01-01T00:00:00Z')).length, 0);
    assert.equal((await run('audit', '--since', '2999-01-01')).stderr, 'telltale: the list is empty\n');
  });

  it('is not printed if an argument is unknown', async () => {
    for (const args of [['--what', 'keys'], ['--since', 'yesterday'], ['--until', '2026-02-30'], ['more']]) {
      const { status, stdout } = await run('audit', ...args);
      assert.deepEqual([status, stdout], [2, ''], args.join(' '));
    }
    const { status, stderr } = await run('audit', '--account', 'nobody');
    assert.equal(status, 2);
    assert.match(stderr, /^telltale: there is no account 'nobody'$/m);
  });
});
