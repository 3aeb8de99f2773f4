// Measures how long operations on many database rows stop the event loop: `node --import tsx bench/event-loop.ts
// [--rows N] [--only sqlite]`.
// One account has N checks, hashes and stored responses. Each operation of the table runs once. Meanwhile a timer of 1
// ms measures by how much it is late. The delay is reported in elapsed time, and in processor time of this process,
// which other programs don't lengthen. Runs on SQLite, and on PostgreSQL if Debian's package is installed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { eraseAccount, eraseCheck } from '../src/accounts/erase.js';
import { listAnswered, listChecks, sweepHistory } from '../src/accounts/history/checks.js';
import { tallyChecks, tallyDays } from '../src/accounts/history/tally.js';
import { createKey } from '../src/accounts/keys.js';
import { columnsOf } from '../src/accounts/seen/scene-index.js';
import { findSeen, keepHashes } from '../src/accounts/seen/seen.js';
import { sweepKeys } from '../src/accounts/usage/idempotency.js';
import type { DatabaseSetting } from '../src/config.js';
import { openDatabase, type Database } from '../src/storage/db/database.js';
import { migrate } from '../src/storage/db/migrate.js';
import { createFolderStore } from '../src/storage/images/folder-store.js';
import { createImageRetention } from '../src/storage/images/image-retention.js';
import { findPostgres, startPostgres } from '../test/support/postgres.js';
import { describeMachine } from './machine/machine.js';

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '20000' }, only: { type: 'string' } },
});
const ROWS = Number(values.rows);
/** Number of hashes of the same image, which the account has sent again and again. */
const SAME = Math.min(10_000, ROWS / 2);
const ROWS_AT_ONCE = 500;
/** A stored response of the service, 1500 characters long. */
const RESPONSE = 'x'.repeat(1500);
const SCENE = Uint32Array.from({ length: 8 }, (_, word) => 0x9e3779b9 * (word + 1));
const DAY_MS = 86_400_000;

/**
 * Returns the identifier of a check. Checks with even numbers are old enough to be deleted by every sweep. Checks with
 * odd numbers are not.
 */
const idOf = (at: number): string => `chk_${at % 2 === 0 ? '01A' : '7ZZ'}${String(at).padStart(23, '0')}`;

/** Fills the tables with the rows of one account. */
async function fill(database: Database): Promise<string> {
  const { id: keyId, accountId } = await createKey(database, { account: 'bench', plan: 'scale' });
  await keepHashes(database, accountId, true);
  const now = Date.now();
  const hasReferences = await database.run((queries) => queries.schema.hasTable('answered_checks'));
  for (let from = 0; from < ROWS; from += ROWS_AT_ONCE) {
    const numbers = Array.from({ length: Math.min(ROWS_AT_ONCE, ROWS - from) }, (_, at) => from + at);
    const common = {
      account_id: accountId,
      plan: 'scale',
      key_id: keyId,
      request_id: 'r',
      is_ai: 0,
      fired: '',
    };
    const made = {
      profile: 'balanced',
      model: 'm',
      bands_version: 'b',
      latency_ms: 1,
      full_image_score: 0.2,
    };
    const checks = numbers.map((at) => ({
      ...common,
      ...made,
      id: idOf(at),
      created_at: now - (at % 30) * DAY_MS,
      name: `IMG_${at}.jpg`,
      answer: '{}',
    }));
    const hashes = numbers.map((at) => ({
      id: idOf(at),
      account_id: accountId,
      ...columnsOf(at < SAME ? SCENE : crypto.getRandomValues(new Uint32Array(8))),
    }));
    const stored = numbers.map((at) => ({
      account_id: accountId,
      key: `key ${at}`,
      fingerprint: 'f',
      owner: 'o',
      answer: `{"id":"${idOf(at)}","rest":"${RESPONSE}"}`,
      expires_at: now + (at % 2 === 0 ? DAY_MS : -1),
    }));
    await database.transaction(async (queries) => {
      for (let part = 0; part < numbers.length; part += 50) {
        await queries('checks').insert(checks.slice(part, part + 50));
        await queries('seen_images').insert(hashes.slice(part, part + 50));
        await queries('idempotency_keys').insert(stored.slice(part, part + 50));
        if (hasReferences)
          await queries('answered_checks').insert(
            numbers
              .slice(part, part + 50)
              .map((at) => ({ account_id: accountId, key: `key ${at}`, check_id: idOf(at) })),
          );
      }
    });
  }
  await database.run((queries) => queries.raw('analyze'));
  return accountId;
}

/** Runs an operation. Prints its duration, and the longest delay of a 1 ms timer during the operation. */
async function measure(where: string, name: string, work: () => Promise<unknown>): Promise<void> {
  let [lastMs, lastUsage] = [performance.now(), process.cpuUsage()];
  let [longestMs, longestBusyMs] = [0, 0];
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(lastUsage);
    longestMs = Math.max(longestMs, performance.now() - lastMs);
    longestBusyMs = Math.max(longestBusyMs, (user + system) / 1000);
    [lastMs, lastUsage] = [performance.now(), process.cpuUsage()];
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
  const columns = [where, name, ...[longestMs, longestBusyMs, tookMs].map((ms) => `${ms.toFixed(0)} ms`)];
  console.log(`| ${columns.join(' | ')}${failed} |`);
}

async function run(where: string, setting: DatabaseSetting, folder: string): Promise<void> {
  const database = await openDatabase(setting);
  try {
    await migrate(database);
    const accountId = await fill(database);
    const retention = createImageRetention(database, createFolderStore(join(folder, 'images')), 30);
    const [today, before] = [new Date(), new Date(Date.now() - 29 * DAY_MS)];
    const scene = { middle: SCENE, windows: [SCENE], isFlat: false, levels: new Uint8Array() };
    const operations: Readonly<Record<string, () => Promise<unknown>>> = {
      'list checks': () => listAnswered(database, accountId, {}, 100),
      'list checks, worst first': () => listChecks(database, accountId, { order: 'worst' }, 100),
      'search the history for a text': () => listChecks(database, accountId, { text: 'zzz' }, 100),
      'count by key': () => tallyChecks(database, accountId, before),
      'count by day': () => tallyDays(database, accountId, before, today),
      [`search for an image sent ${SAME} times`]: () => findSeen(database, accountId, scene),
      'erase one check': () => eraseCheck(database, retention, { accountId, id: idOf(0) }),
      'sweep stored responses': () => sweepKeys(database),
      'switch hashes off': () => keepHashes(database, accountId, false),
      'sweep half of the history': () => sweepHistory(database, 0),
      'erase the account': () => eraseAccount(database, retention, accountId),
    };
    for (const [name, work] of Object.entries(operations)) await measure(where, name, work);
  } finally {
    await database.close();
  }
}

const { processor, cores, date } = describeMachine();
console.log(
  `${processor}, ${cores} cores, ${date.slice(0, 10)}; ${ROWS} checks, hashes and stored responses\n`,
);
console.log('| database | operation | longest delay | of it busy | time |\n|---|---|---|---|---|');
const folder = mkdtempSync(join(tmpdir(), 'telltale-event-loop-'));
try {
  if (values.only !== 'postgres')
    await run('SQLite', { kind: 'sqlite', path: join(folder, 'bench.sqlite') }, folder);
  const bin = values.only === 'sqlite' ? null : findPostgres();
  if (bin !== null) {
    const server = await startPostgres(bin);
    try {
      await run('PostgreSQL', { kind: 'postgres', url: server.createDatabase() }, folder);
    } finally {
      server.close();
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
