// Tests erasing a check or an account: nothing remains in any table or in the store, and other accounts lose
// nothing.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import {
  eraseAccount,
  eraseCheck,
  exportAccount,
  resumeErasing,
  type AccountContents,
} from '../../../src/accounts/erase.js';
import { findAccountById } from '../../../src/accounts/accounts.js';
import { pageAudit } from '../../../src/accounts/audit.js';
import { findKey } from '../../../src/accounts/keys.js';
import { readKeyId } from '../../../src/accounts/key-text.js';
import { setMaker } from '../../../src/accounts/makers.js';
import { findMembers } from '../../../src/accounts/members/members.js';
import { keepHashes } from '../../../src/accounts/seen/seen.js';
import { lockKey, storeAnswer } from '../../../src/accounts/usage/idempotency-locks.js';
import type { DatabaseSetting } from '../../../src/config.js';
import { createImageRetention } from '../../../src/storage/images/image-retention.js';
import { openImageStore } from '../../../src/storage/images/open-image-store.js';
import { backUpSqlite } from '../../../src/storage/db/backup.js';
import { openDatabase, type Database } from '../../../src/storage/db/database.js';
import { signIn } from '../../support/console.js';
import { makeMigratedFile } from '../../support/databases.js';
import { newCheck, newPayer, record } from '../../support/history.js';
import { makeFolder } from '../../support/folders.js';
import { SCENE_JPEG } from '../../support/images.js';
import {
  assertError,
  describeServiceOnEachDatabase,
  postForm,
  postJson,
  send,
  type ServiceBench,
} from '../../support/service.js';

const b64 = Buffer.from(SCENE_JPEG).toString('base64');

/** Folder in which the services store images. */
const FOLDER = makeFolder('erase');

const tests = (bench: () => ServiceBench): void => {
  const check = (query = ''): string => `${bench().url}/v1/check${query}`;
  const erase = (id: string, key: string) =>
    send(`${bench().url}/v1/checks/${id}`, { method: 'DELETE', headers: { authorization: `Bearer ${key}` } });
  const accountOf = async (key: string): Promise<string> =>
    (await findKey(bench().database, readKeyId(key)!))!.accountId;

  it('removes every trace of a check except its charge, and keeps an image that another check uses', async () => {
    const { database } = bench();
    const key = await bench().newKey();
    const files = async (): Promise<number> => filesOf(await accountOf(key)).length;
    const sent = { image_b64: b64, store: true, ref: 'canary-ref' };
    const first = await postJson(check(), key, sent, { 'idempotency-key': 'once' });
    const second = await postForm(check('?store=true'), key, 'file', [SCENE_JPEG]);
    const { id } = first.body;
    await postJson(`${bench().url}/v1/checks/${id}/feedback`, key, {
      is_ai: !first.body.is_ai,
      note: 'canary-note',
    });
    assert.match(await dump(database), new RegExp(`${id}.*canary-ref|canary-ref.*${id}`, 's'));
    assert.equal(await files(), 1);

    assertError(await erase(id, await bench().newKey()), 404, 'not_found');
    const erased = await erase(id, key);
    assert.deepEqual([erased.status, erased.text], [200, `{"id":"${id}","erased":true}`]);
    assert.doesNotMatch(await dump(database), new RegExp(`${id}|canary`));
    assertError(await erase(id, key), 404, 'not_found');
    assert.equal(await files(), 1);
    const headers = { authorization: `Bearer ${key}` };
    assert.equal((await send(`${bench().url}/v1/usage`, { headers })).body.checks.used, 2);

    assert.equal((await erase(second.body.id, key)).status, 200);
    assert.equal(await files(), 0);
    // The stored response was erased, so the request runs again.
    const again = await postJson(check(), key, sent, { 'idempotency-key': 'once' });
    assert.notEqual(again.body.id, id);
  });

  it('removes the stored responses that mention an erased check, even if deleting another account’s file fails', async () => {
    const { database } = bench();
    const [key, other] = [await bench().newKey(), await bench().newKey()];
    const [account, neighbour] = [await accountOf(key), await accountOf(other)];
    const { id } = (await postForm(check('?store=true'), key, 'file', [SCENE_JPEG])).body;
    await postForm(check('?store=true'), other, 'file', [SCENE_JPEG]);
    const lock = (accountId: string, name: string) => ({
      accountId,
      key: name,
      fingerprint: 'f',
      owner: 'o',
    });
    for (const [accountId, name, body] of [
      [account, 'names', `{"details":{"seen":[{"id":"${id}"}]}}`],
      [account, 'twice', `{"ids":["${id}","${id}"]}`],
      [account, 'others', `{"id":"chk_${'0'.repeat(26)}"}`],
      [neighbour, 'names', `{"id":"${id}"}`],
    ] as const) {
      await lockKey(database, lock(accountId, name), 60_000);
      await database.transaction((queries) => storeAnswer(queries, lock(accountId, name), body, new Date()));
    }
    await database.run((queries) =>
      queries('images').where({ account_id: neighbour }).update({ expires_at: 1 }),
    );
    const [path = ''] = filesOf(neighbour);
    renameSync(join(FOLDER, path), join(FOLDER, 'aside'));
    mkdirSync(join(FOLDER, path));
    try {
      assert.equal((await erase(id, key)).status, 200);
    } finally {
      rmdirSync(join(FOLDER, path));
      renameSync(join(FOLDER, 'aside'), join(FOLDER, path));
    }
    const left = await database.run((queries) =>
      queries('idempotency_keys')
        .whereIn('account_id', [account, neighbour])
        .orderBy(['account_id', 'key'])
        .pluck<string[]>('key'),
    );
    assert.deepEqual(left.sort(), ['names', 'others']);
    assert.deepEqual(filesOf(account), []);
  });

  it('revokes an account’s API keys even if the erasure is interrupted, and completes the erasure later', async () => {
    const { database } = bench();
    const key = await bench().newKey();
    const accountId = await accountOf(key);
    await postForm(check('?store=true'), key, 'file', [SCENE_JPEG]);
    const store = await openImageStore({ kind: 'folder', path: FOLDER });
    const stuck = { ...store, delete: () => Promise.reject(new Error('EIO')) };
    await assert.rejects(eraseAccount(database, createImageRetention(database, stuck, 30), accountId), /EIO/);
    assert.equal((await findKey(database, readKeyId(key)!))?.revokedAt === null, false);
    const retention = createImageRetention(database, store, 30);
    await resumeErasing(database, retention);
    assert.ok(await findAccountById(database, accountId), 'one that has just begun is left to its process');
    await database.run((queries) =>
      queries('accounts')
        .where({ id: accountId })
        .update({ erasing: queries.raw(`replace(erasing, '"at":', '"at":0,"before":')`) }),
    );
    await resumeErasing(database, retention);
    assert.equal(await findAccountById(database, accountId), null);
    const { rows } = await pageAudit(database, { what: 'account.erased' });
    const counted = rows.filter(({ before }) => before?.id === accountId).map(({ before }) => before?.checks);
    assert.deepEqual(counted, [1]);
    assert.deepEqual(filesOf(accountId), []);
  });

  it('removes an erased check’s identifier and reference from a response that is stored during the erasure', async () => {
    const { database } = bench();
    const key = await bench().newKey();
    await keepHashes(database, await accountOf(key), true);
    // Uses a new key, because the service still has the old setting in memory for keys that were used.
    const own = await bench().newKey({ account: (await findKey(database, readKeyId(key)!))!.accountName });
    const seen = await postForm(check('?ref=canary-erased&store=true'), own, 'file', [SCENE_JPEG]);
    const fetched = once(internet, 'request') as Promise<[IncomingMessage, ServerResponse]>;
    const url = `http://pictures.example.org:${(internet.address() as AddressInfo).port}/late.jpg`;
    const same = Buffer.concat([SCENE_JPEG, Buffer.alloc(16)]).toString('base64');
    const body = { images: [{ image_b64: same }, { image_url: url }], include: 'seen', store: true };
    const batch = postJson(check('/batch'), own, body, { 'idempotency-key': 'while-erasing' });
    const [, res] = await fetched;
    // The first image was compared with the earlier check before the image itself was stored.
    while (filesOf(await accountOf(key)).length < 2) await setTimeout(5);
    assert.equal((await erase(seen.body.id, own)).status, 200);
    res.end(SCENE_JPEG);
    const answer = await batch;
    assert.equal(answer.status, 200, answer.text);
    assert.doesNotMatch(answer.text + (await dump(database)), new RegExp(`${seen.body.id}|canary-erased`));
    assert.deepEqual(
      answer.body.results.map((one) => one.image_stored),
      [true, true],
    );
    assert.equal(filesOf(await accountOf(key)).length, 2);
  });

  it('never removes an entry of another account’s scan, even if a check’s request id equals the scan’s id', async () => {
    const { database } = bench();
    const [key, other] = [await bench().newKey(), await bench().newKey()];
    const scan = 'scn_01ARZ3NDEKTSV4RRFFQ69G5FAV';
    const headers = { 'x-request-id': scan };
    const ids = await Promise.all(
      [key, other].map(
        async (by) => (await postForm(check(), by, 'file', [SCENE_JPEG], {}, headers)).body.id,
      ),
    );
    const entry = { line: 1, id: 'chk_of_the_scan', ref: 'theirs', signer: ids[0], ai: ids[1] };
    const body = JSON.stringify(entry);
    const accountId = await accountOf(other);
    await database.run(async (queries) => {
      const facts = { id: scan, account_id: accountId, key_id: readKeyId(other), created_at: 1 };
      await queries('scans').insert({ ...SCAN_ROW, ...facts });
      await queries('scan_items').insert({
        scan_id: scan,
        position: 1,
        line: 1,
        number: 1,
        body,
        address: 'a',
      });
    });
    for (const [index, by] of [key, other].entries()) {
      assert.equal((await erase(ids[index]!, by)).status, 200);
      const entries = await database.run((queries) =>
        queries('scan_items').where({ scan_id: scan }).pluck<string[]>('body'),
      );
      assert.deepEqual(entries, [body]);
    }
  });

  it('happens only once if three requests erase the same account concurrently, and two of them get not_found', async () => {
    const { database } = bench();
    const key = await bench().newKey();
    await postForm(check('?store=true'), key, 'file', [SCENE_JPEG]);
    const accountId = await accountOf(key);
    const store = await openImageStore({ kind: 'folder', path: FOLDER });
    const retention = createImageRetention(database, store, 30);
    const erased = await Promise.allSettled(
      [1, 2, 3].map(() => eraseAccount(database, retention, accountId)),
    );
    const states = erased.map(({ status }) => status).sort();
    assert.deepEqual(states, ['fulfilled', 'rejected', 'rejected']);
    for (const one of erased)
      if (one.status === 'rejected') assert.match(String(one.reason), /there is no such account/);
    const { rows } = await pageAudit(database, { what: 'account.erased' });
    assert.equal(rows.filter(({ before }) => before?.id === accountId).length, 1);
  });

  it('is allowed in the console to owners for checks of their account, and to operators for other accounts', async () => {
    const key = await bench().newKey();
    const account = (await findAccountById(bench().database, await accountOf(key)))!;
    const { id } = (await postForm(check(), key, 'file', [SCENE_JPEG])).body;
    const as = (role: 'member' | 'owner') =>
      signIn(bench(), { account: account.name, email: `${role}@${account.id}.example`, role, plan: 'scale' });
    assert.equal((await (await as('member')).call('DELETE', `/checks/${id}`)).status, 403);
    const owner = await as('owner');
    assert.equal((await owner.call('DELETE', `/checks/${id}`)).status, 204);
    assert.equal((await owner.call('DELETE', `/checks/${id}`)).status, 404);
    assert.equal((await owner.call('DELETE', `/operator/accounts/${account.id}`)).status, 403);

    const email = `boss@${account.id}.example`;
    const operator = await signIn(bench(), {
      account: `of ${email}`,
      email,
      role: 'operator',
      plan: 'scale',
    });
    const path = `/operator/accounts/${account.id}`;
    const contents = await operator.call<AccountContents>('GET', `${path}/contents`);
    const erased = await operator.call<AccountContents>('DELETE', path);
    assert.deepEqual([erased.status, erased.body], [200, contents.body], erased.text);
    const { checks, keys, members, charged } = contents.body;
    assert.deepEqual([checks, keys, members, charged], [0, 1, 2, 1]);
    assert.equal((await operator.call('DELETE', path)).status, 400);
    assert.equal((await owner.call('GET', '/checks')).status, 401);
    assertError(await postForm(check(), key, 'file', [SCENE_JPEG]), 401, 'unauthorized');
  });

  it('removes an account’s rows from every table even under load, after an export of all rows without secrets', async () => {
    const { database } = bench();
    const [key, neighbour] = [await bench().newKey(), await bench().newKey()];
    const accountId = await accountOf(key);
    await keepHashes(database, accountId, true);
    await setMaker(database, accountId, 'openai', 7);
    const { name } = (await findAccountById(database, accountId))!;
    const email = `member@${accountId}.example`.toLowerCase();
    await signIn(bench(), { account: name, email, role: 'member', plan: 'scale' });
    const [{ member } = {}] = await findMembers(database, email);
    const network = { member_id: member?.id, network: '192.0.2.9', seen_at: Date.now() };
    await database.run((queries) => queries('sign_in_networks').insert(network));
    await postForm(check('?store=true&ref=exported'), key, 'file', [SCENE_JPEG]);
    await postForm(check('?store=true'), neighbour, 'file', [SCENE_JPEG]);
    const rows: Record<string, unknown>[] = [];
    for await (const row of exportAccount(database, accountId)) rows.push(row);
    const tables = rows.map(({ table }) => table);
    const whole = ['accounts', 'usage_days', 'checks', 'images', 'api_keys', 'members', 'audit_log'];
    for (const table of [...whole, 'seen_accounts', 'account_makers', 'sign_in_networks'])
      assert.ok(tables.includes(table), table);
    assert.match(JSON.stringify(rows), /exported/);
    for (const name of ['hash', 'password_hash', 'secret']) assert.ok(!rows.some((row) => name in row), name);

    const store = await openImageStore({ kind: 'folder', path: FOLDER });
    const under = Array.from({ length: 6 }, () => postForm(check('?store=true'), key, 'file', [SCENE_JPEG]));
    const contents = await eraseAccount(database, createImageRetention(database, store, 30), accountId);
    assert.ok(contents.checks >= 1 && contents.image_bytes >= SCENE_JPEG.length);
    for (const answer of await Promise.all(under))
      if (answer.status !== 200) assertError(answer, 401, 'unauthorized');
    assert.doesNotMatch(await dump(database), new RegExp(accountId));
    assert.deepEqual((await pageAudit(database, { accountId })).rows, []);
    const [{ what, before } = {}] = (await pageAudit(database, { what: 'account.erased' })).rows;
    assert.deepEqual([what, before], ['account.erased', { id: accountId, ...contents }]);
    assert.deepEqual(filesOf(accountId), []);
    assert.equal(filesOf(await accountOf(neighbour)).length, 1);
  });
};

/** Tests of a service without a history, in which no check has a row. */
const testsWithoutHistory = (bench: () => ServiceBench, kind: DatabaseSetting['kind']): void => {
  const erase = (id: string, key: string) =>
    send(`${bench().url}/v1/checks/${id}`, { method: 'DELETE', headers: { authorization: `Bearer ${key}` } });
  const countAudited = async (id: string): Promise<number> => {
    const { rows } = await pageAudit(bench().database, { what: 'check.erased' });
    return rows.filter(({ subject }) => subject === id).length;
  };

  it('removes the stored response of a check that has no row in the history', async () => {
    const { database, url } = bench();
    const key = await bench().newKey();
    const body = { image_b64: b64, include: 'record', ref: 'canary-ref' };
    const check = () => postJson(`${url}/v1/check`, key, body, { 'idempotency-key': 'e1' });
    const { id } = (await check()).body;
    assertError(await erase(id, await bench().newKey()), 404, 'not_found');
    assert.equal((await check()).headers.get('idempotent-replayed'), 'true');

    const erased = await erase(id, key);
    assert.deepEqual([erased.status, erased.text], [200, `{"id":"${id}","erased":true}`]);
    assert.doesNotMatch(await dump(database), new RegExp(`${id}|canary`));
    assertError(await erase(id, key), 404, 'not_found');
    assert.equal(await countAudited(id), 1);
    const again = await check();
    assert.equal(again.headers.get('idempotent-replayed'), null);
    assert.notEqual(again.body.id, id);
  });

  if (kind !== 'postgres') return;
  it('replaces the scan entry of a check that has no row in the history, only in the account’s own scans', async () => {
    const { database, url } = bench();
    const [key, other] = [await bench().newKey(), await bench().newKey()];
    const id = 'chk_01ARZ3NDEKTSV4RRFFQ69G5FAW';
    const body = JSON.stringify({ line: 1, ref: 'canary-ref', id, is_ai: false });
    const scanOf = { [key]: 'scn_01ARZ3NDEKTSV4RRFFQ69G5FAW', [other]: 'scn_01ARZ3NDEKTSV4RRFFQ69G5FAX' };
    for (const by of [key, other]) {
      const { accountId } = (await findKey(database, readKeyId(by)!))!;
      const facts = { account_id: accountId, key_id: readKeyId(by), created_at: 1, ended_at: Date.now() };
      const item = {
        scan_id: scanOf[by],
        position: 1,
        line: 1,
        number: 1,
        address: 'canary',
        ref: 'canary-ref',
      };
      await database.run(async (queries) => {
        await queries('scans').insert({ ...SCAN_ROW, ...facts, id: scanOf[by], state: 'finished' });
        await queries('scan_items').insert({ ...item, body });
      });
    }
    const results = async (by: string): Promise<string> => {
      const headers = { authorization: `Bearer ${by}` };
      return (await fetch(`${url}/v1/scans/${scanOf[by]}/results`, { headers })).text();
    };
    assert.equal(await results(key), `${body}\n`);

    assert.equal((await erase(id, key)).status, 200);
    assert.equal(
      await results(key),
      '{"line":1,"error":{"code":"not_found","message":"this check was erased"}}\n',
    );
    const items = await database.run((queries) =>
      queries('scan_items').where({ scan_id: scanOf[key] }).select('address', 'ref'),
    );
    assert.deepEqual(items, [{ address: null, ref: null }]);
    assertError(await erase(id, key), 404, 'not_found');
    assert.equal(await countAudited(id), 1);
    assert.equal(await results(other), `${body}\n`);
  });
};

describe('erasure of a check on SQLite', () => {
  it('leaves nothing of the check in the file, in its log, or in a backup made afterwards', async () => {
    const path = join(makeFolder('traces'), 'telltale.sqlite');
    await makeMigratedFile(path);
    const database = await openDatabase({ kind: 'sqlite', path });
    try {
      const payer = await newPayer(database, 'traces');
      const checks = Array.from({ length: 50 }, (_, at) =>
        newCheck({ name: `CANARYNAME ${at}`, ref: `CANARYREF${at} ${'r'.repeat(900)}` }, Date.now() - at),
      );
      await record(database, payer, ...checks);
      const store = await openImageStore({ kind: 'folder', path: FOLDER });
      const retention = createImageRetention(database, store, 30);
      const { accountId } = payer;
      for (const { id } of checks) await eraseCheck(database, retention, { accountId, id });
      const copy = `${path}.copy`;
      backUpSqlite(path, copy);
      for (const file of [path, `${path}-wal`, copy])
        assert.equal(existsSync(file) && readFileSync(file).includes('CANARY'), false, file);
    } finally {
      await database.close();
    }
  });
});

/** A server that stands for the internet. The test responds to its requests itself. */
const internet = createServer();

describe('erasure of checks and accounts', () => {
  before(() => void internet.listen(0, '127.0.0.1'));
  after(() => {
    internet.closeAllConnections();
    internet.close();
  });
  const fetcher = { resolve: () => Promise.resolve(['127.0.0.1']), isAllowed: () => true };
  describeServiceOnEachDatabase(
    'rows and files after erasure',
    tests,
    { store: { kind: 'folder', path: FOLDER } },
    { fetcher },
  );
  describeServiceOnEachDatabase('erasure without a history', testsWithoutHistory, { historyDays: 0 });
});

/** Columns of a scan that no test reads. */
const SCAN_ROW = {
  ...{ plan: 'scale', period: '2026-01', profile: 'balanced', include: '', state: 'done', errors: '{}' },
  ...{ items: 1, reserved: 0, next_position: 1, dealt_at: 0, answered: 1, checked: 1 },
};

/** Returns every row of every table as text, except the audit log, which names what was erased. */
async function dump(database: Database): Promise<string> {
  const names = await database.run<{ name: string }[]>((queries) =>
    database.dialect === 'sqlite'
      ? queries('sqlite_master').where({ type: 'table' }).select('name')
      : queries('information_schema.tables').where({ table_schema: 'public' }).select('table_name as name'),
  );
  const tables = await Promise.all(
    names
      .filter(({ name }) => name !== 'audit_log')
      .map(({ name }) => database.run<unknown[]>((queries) => queries(name).select())),
  );
  return JSON.stringify(tables);
}

/** Returns the stored images of an account. */
function filesOf(accountId: string): string[] {
  const paths = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' });
  return paths.filter((path) => path.startsWith(accountId) && /img_[^/]*$/.test(path));
}
