// Tests the audit log on both databases: an entry is stored in the same transaction as its change, and
// expires.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { createAccount, setPlan, setScanPrefix } from '../../src/accounts/accounts.js';
import {
  audit,
  pageAudit,
  readAudit,
  sweepAudit,
  type AuditEntry,
  type AuditFilter,
} from '../../src/accounts/audit.js';
import { describeFacts, nameChange } from '../../src/accounts/changes.js';
import { createKey, revokeKey } from '../../src/accounts/keys.js';
import type { Database } from '../../src/storage/db/database.js';
import { describeOnEachDatabase } from '../support/databases.js';
import { ROOT } from '../support/telltale.js';

const ANN = { kind: 'member', name: 'ann@a.example', accountId: 'acc_ann', address: '192.0.2.1' } as const;
const DAY_MS = 86_400_000;

async function readAll(database: Database, filter: AuditFilter): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for await (const entry of readAudit(database, filter)) entries.push(entry);
  return entries;
}

describeOnEachDatabase('the audit log', (bench) => {
  it('writes one entry with its author for each change, and no entry if a request changes nothing', async () => {
    const database = (await bench.open()).by(ANN);
    const { id: accountId } = await createAccount(database, 'audited', 'free');
    const { id } = await createKey(database, { account: 'audited' });
    for (const plan of ['growth', 'growth']) await setPlan(database, accountId, plan);
    for (const prefix of ['a', 'a/', '']) await setScanPrefix(database, accountId, prefix);
    for (let time = 0; time < 2; time += 1) await revokeKey(database, id);
    const key = { name: 'default', narrowed_to: null, scopes: ['check', 'usage', 'scan'], expires_at: null };
    const entries = await readAll(database, { accountId });
    assert.deepEqual(
      entries.map(({ what, subject, before, after }) => [what, subject, before, after]),
      [
        ['account.created', 'audited', undefined, { plan: 'free' }],
        ['key.created', id, undefined, key],
        ['account.plan_changed', 'audited', { plan: 'free' }, { plan: 'growth' }],
        ['account.prefix_changed', 'audited', { scan_prefix: null }, { scan_prefix: 'a/' }],
        ['account.prefix_changed', 'audited', { scan_prefix: 'a/' }, { scan_prefix: null }],
        ['key.revoked', id, key, undefined],
      ],
    );
    for (const { actor, accountName } of entries) assert.deepEqual([actor, accountName], [ANN, 'audited']);
  });

  it('rolls back an entry together with its change, and a change if its entry cannot be written', async () => {
    const database = await bench.open();
    await createAccount(database, 'taken');
    await assert.rejects(createAccount(database, 'taken'), /already/);
    const change = { what: 'account.created', accountId: null, subject: 'rolled back' } as const;
    const fails = database.transaction(async (queries) => {
      await audit(queries, ANN, change);
      throw new Error('no');
    });
    await assert.rejects(fails, /no/);
    const all = await readAll(database, { what: 'account' });
    assert.equal(all.filter(({ subject }) => subject === 'taken').length, 1);
    assert.equal(all.filter(({ subject }) => subject === 'rolled back').length, 0);
    await database.run((queries) => queries.schema.renameTable('audit_log', 'audit_log_away'));
    await assert.rejects(createAccount(database, 'unwritten'));
    await database.run((queries) => queries.schema.renameTable('audit_log_away', 'audit_log'));
    assert.equal(
      await database.run((queries) => queries('accounts').where({ name: 'unwritten' }).first('id')),
      undefined,
    );
  });

  it('deletes entries older than their retention period', async () => {
    const database = await bench.open();
    const { id: accountId } = await createAccount(database, 'swept');
    const row = await database.run<object>((queries) =>
      queries('audit_log').where({ account_id: accountId }).first(),
    );
    for (const days of [8, 6]) {
      const at = Date.now() - days * DAY_MS;
      const old = { ...row, id: `aud_${ulid(at)}`, created_at: at, subject: `of ${days} days` };
      await database.run((queries) => queries('audit_log').insert(old));
    }
    await sweepAudit(database, 7);
    const { rows } = await pageAudit(database, { accountId });
    assert.deepEqual(
      rows.map(({ subject }) => subject),
      ['swept', 'of 6 days'],
    );
  });
});

describe('audit entries', () => {
  it('are written by the modules of operations, and never by a command or a route', () => {
    const writers = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('accounts/audit.ts'))
      .filter((file) => /\baudit\(queries/.test(readFileSync(join(ROOT, 'src', file), 'utf8')));
    assert.ok(writers.includes('accounts/keys.ts') && writers.includes('service/webhooks/endpoints.ts'));
    assert.deepEqual(
      writers.filter((file) => /^(cli|service\/(console|http|mcp))\//.test(file)),
      [],
    );
  });
});

describe('descriptions of changes in the audit log', () => {
  it('contain the old and the new value', () => {
    assert.equal(nameChange('member.invitation_withdrawn'), 'member invitation withdrawn');
    assert.equal(describeFacts({ plan: null }, { plan: 'free' }), 'plan: none → free');
    assert.equal(
      describeFacts({ role: 'member', has_password: true }, null),
      'role: member, has password: true',
    );
    assert.equal(describeFacts(null, { scopes: ['check', 'scan'] }), 'scopes: check scan');
    const [before, after] = [
      { role: 'member', has_password: true },
      { role: 'owner', has_password: true },
    ];
    assert.equal(describeFacts(before, after), 'role: member → owner');
    assert.equal(describeFacts(before, before), 'role: member, has password: true');
    assert.equal(describeFacts(null, null), '');
  });
});
