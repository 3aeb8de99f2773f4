// Measures how long operations on many database rows stop the event loop: `node --import tsx bench/event-loop.ts
// [--rows N] [--only sqlite]`.
// One account has N checks, hashes and stored responses. Each operation of the table runs once. Meanwhile a timer of 1
// ms measures by how much it is late. The delay is reported in elapsed time, and in processor time of the JavaScript
// thread, which other programs don't lengthen. Runs on SQLite, and on PostgreSQL if Debian's package is installed.
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { countAccount, eraseAccount, eraseCheck, exportAccount } from '../src/accounts/erase.js';
import { listAnswered, listChecks } from '../src/accounts/history/checks.js';
import { sweepHistory } from '../src/accounts/history/sweep.js';
import { listJudged } from '../src/accounts/history/judged.js';
import { tallyChecks, tallyDays } from '../src/accounts/history/tally.js';
import { createKey } from '../src/accounts/keys.js';
import { columnsOf } from '../src/accounts/seen/scene-index.js';
import { findSeen, keepHashes } from '../src/accounts/seen/seen.js';
import { sweepKeys } from '../src/accounts/usage/idempotency-locks.js';
import type { DatabaseSetting } from '../src/config.js';
import { openDatabase, type Database } from '../src/storage/db/database.js';
import { migrate } from '../src/storage/db/migrate.js';
import { createFolderStore } from '../src/storage/images/open-image-store.js';
import { createImageRetention } from '../src/storage/images/image-retention.js';
import { describeMachine } from './machine/machine.js';
import { onEachDatabase } from './programs/telltale.js';

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '20000' }, only: { type: 'string' } },
});
const ROWS = Number(values.rows);
/** Number of hashes of the same image, which the account has sent again and again. */
const COPIES = Math.min(10_000, ROWS / 2);
const ROWS_AT_ONCE = 20_000;
const SCENE = Uint32Array.from({ length: 8 }, (_, word) => 0x9e3779b9 * (word + 1));
const DAY_MS = 86_400_000;
/** Size of the write-ahead log that the last operation empties, in megabytes. */
const LOG_MB = 100;

const ZEROS = '0'.repeat(23);
/**
 * SQL for the identifier of check number i. Checks with even numbers are old enough to be deleted by every sweep.
 * Checks with odd numbers are not.
 */
const ID = `'chk_' || case when i % 2 = 0 then '01A' else '7ZZ' end || substr('${ZEROS}' || i, length('' || i) + 1)`;
const FIRST_ID = `chk_01A${ZEROS}`;

/** SQL for random hashes and their index keys. */
const RANDOM = {
  sqlite: { bits: 'lower(hex(randomblob(32)))', key: 'abs(random()) % 262144' },
  postgres: { bits: 'md5(random()::text) || md5(random()::text)', key: 'floor(random() * 262144)::int' },
};

/** Fills the tables with the rows of one account. */
async function fill(database: Database): Promise<string> {
  const { id: keyId, accountId } = await createKey(database, { account: 'bench', plan: 'scale' });
  await keepHashes(database, accountId, true);
  const now = Date.now();
  const random = RANDOM[database.dialect];
  const { bits, ...keys } = columnsOf(SCENE);
  const hash = {
    bits: `case when i < ${COPIES} then '${bits}' else ${random.bits} end`,
    ...Object.fromEntries(
      Object.entries(keys).map(([name, key]) => [
        name,
        `case when i < ${COPIES} then ${key} else ${random.key} end`,
      ]),
    ),
  };
  const account_id = `'${accountId}'`;
  // A stored response of the service is 1500 characters long.
  const answer = `'{"id":"' || ${ID} || '","rest":"${'x'.repeat(1500)}"}'`;
  const tables: Readonly<Record<string, Readonly<Record<string, string | number>>>> = {
    checks: {
      ...{ id: ID, account_id, plan: "'scale'", key_id: `'${keyId}'`, request_id: "'r'", is_ai: 0 },
      ...{ fired: "''", profile: "'balanced'", model: "'m'", bands_version: "'b'", latency_ms: 1 },
      ...{
        full_image_score: 0.2,
        created_at: `${now} - cast(i % 30 as bigint) * ${DAY_MS}`,
        name: "'IMG_' || i || '.jpg'",
      },
      answer: "'{}'",
    },
    seen_images: { id: ID, account_id, ...hash },
    idempotency_keys: {
      ...{ account_id, key: "'key ' || i", fingerprint: "'f'", owner: "'o'", answer },
      expires_at: `${now} + case when i % 2 = 0 then ${DAY_MS} else -1 end`,
    },
    answered_checks: { account_id, key: "'key ' || i", check_id: ID },
  };
  for (let from = 0; from < ROWS; from += ROWS_AT_ONCE) {
    const last = Math.min(from + ROWS_AT_ONCE, ROWS) - 1;
    const numbers = `with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${last})`;
    for (const [table, row] of Object.entries(tables)) {
      await database.longTransaction((queries) =>
        queries.raw(
          `insert into ${table} (${Object.keys(row).join()}) ${numbers} select ${Object.values(row).join()} from n`,
        ),
      );
      // Statements of SQLite alone let no turn of the event loop pass, in which the log would be emptied.
      await setTimeout(1);
    }
  }
  await database.truncateLog();
  await database.longTransaction((queries) => queries.raw('analyze'));
  return accountId;
}

/** Runs an operation. Prints its duration, and the longest delay of a 1 ms timer during the operation. */
async function measure(databaseName: string, name: string, work: () => Promise<unknown>): Promise<void> {
  let [lastMs, lastUsage] = [performance.now(), process.threadCpuUsage()];
  let [longestMs, longestBusyMs] = [0, 0];
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(lastUsage);
    longestMs = Math.max(longestMs, performance.now() - lastMs);
    longestBusyMs = Math.max(longestBusyMs, (user + system) / 1000);
    [lastMs, lastUsage] = [performance.now(), process.threadCpuUsage()];
  }, 1);
  await setTimeout(20);
  [longestMs, longestBusyMs] = [0, 0];
  const startMs = performance.now();
  const failed = await work().then(
    () => '',
    (error: unknown) => ` (failed: ${(error as Error).message})`,
  );
  const tookMs = performance.now() - startMs;
  await setTimeout(10);
  clearInterval(timer);
  const columns = [
    databaseName,
    name,
    ...[longestMs, longestBusyMs, tookMs].map((ms) => `${ms.toFixed(0)} ms`),
  ];
  console.log(`| ${columns.join(' | ')}${failed} |`);
}

/** Reads all rows of an export. */
async function exportAll(database: Database, accountId: string): Promise<void> {
  for await (const row of exportAccount(database, accountId)) if (!row.table) throw new Error('no table');
}

/** Makes SQLite's log large by one transaction that deletes what it inserted. */
async function fillLog(database: Database): Promise<void> {
  const rows = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${LOG_MB})`;
  await database.longTransaction(async (queries) => {
    await queries.raw(
      `insert into audit_log (id, what, subject, actor_kind, created_at) ${rows} select 'x' || i, 'x', hex(zeroblob(500000)), 'x', 0 from n`,
    );
    await queries('audit_log').where({ what: 'x' }).delete();
  });
}

async function run(databaseName: string, setting: DatabaseSetting, folder: string): Promise<void> {
  const database = await openDatabase(setting);
  try {
    await migrate(database);
    const accountId = await fill(database);
    const retention = createImageRetention(database, createFolderStore(join(folder, 'images')), 30);
    const judged = { from: null, to: null, alsoReported: true, accountIds: null };
    const [today, before] = [new Date(), new Date(Date.now() - 29 * DAY_MS)];
    const scene = { middle: SCENE, windows: [SCENE], isFlat: false, levels: new Uint8Array() };
    const operations: Readonly<Record<string, () => Promise<unknown>>> = {
      'list checks': () => listAnswered(database, accountId, {}, 100),
      'list checks, worst first': () => listChecks(database, accountId, { order: 'worst' }, 100),
      'search the history for a text': () => listChecks(database, accountId, { text: 'zzz' }, 100),
      'count by key': () => tallyChecks(database, accountId, before),
      'count by day': () => tallyDays(database, accountId, before, today),
      'list reviewed images': () => listJudged(database, judged, 100),
      'count the account': () => countAccount(database, accountId),
      'export the account': () => exportAll(database, accountId),
      [`search for an image sent ${COPIES} times`]: () => findSeen(database, accountId, scene),
      'erase one check': () => eraseCheck(database, retention, { accountId, id: FIRST_ID }),
      'sweep stored responses': () => sweepKeys(database),
      'switch hashes off': () => keepHashes(database, accountId, false),
      'sweep half of the history': () => sweepHistory(database, 0),
      'erase the account': () => eraseAccount(database, retention, accountId),
    };
    for (const [name, work] of Object.entries(operations)) await measure(databaseName, name, work);
    if (database.dialect === 'postgres') return;
    await fillLog(database);
    await measure(databaseName, `empty a log of ${LOG_MB} MB`, () => database.truncateLog());
  } finally {
    await database.close();
  }
}

const { processor, cores, date } = describeMachine();
console.log(
  `${processor}, ${cores} cores, ${date.slice(0, 10)}; ${ROWS} checks, hashes and stored responses\n`,
);
console.log('| database | operation | longest delay | of it busy | time |\n|---|---|---|---|---|');
await onEachDatabase(run, values.only);
