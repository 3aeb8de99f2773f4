// How long hostile JSON stops the event loop, by route: `node --import tsx bench/json-stops.ts [--database postgres://...]`
// sends each route bodies of as many names as it takes, three at a time, and prints the longest stop and the answers.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { pino } from 'pino';
import { ensureAccount } from '../src/accounts/accounts.js';
import { createKey } from '../src/accounts/keys.js';
import { createLink } from '../src/accounts/members/links.js';
import { loadConfig } from '../src/config.js';
import { openDatabase } from '../src/storage/db/database.js';
import { startService } from '../src/service/service.js';
import { describeMachine } from './machine.js';

/** One more goes before them, for what is compiled when it is first run. */
const ROUNDS = 5;
const AT_ONCE = 3;

/** Asks from another thread, so that no stop is the asker's own. */
const ASKER = `
const { parentPort } = require('node:worker_threads');
parentPort.on('message', async ({ url, headers, body }) => {
  const ask = () => fetch(url, { method: 'POST', headers, body }).then(
    async (answer) => (await answer.arrayBuffer(), answer.status), () => 'cut off');
  parentPort.postMessage(await Promise.all(Array.from({ length: ${AT_ONCE} }, ask)));
});`;

/** An object of `bytes` bytes that is all names. */
function namesOf(bytes: number): string {
  const names: string[] = [];
  for (let length = 2; length < bytes - 12; length += names.at(-1)!.length + 1)
    names.push(`"n${names.length.toString(36)}":1`);
  return `{${names.join(',')}}`;
}

/** Routes that read JSON, how many bytes are sent to each, and around what; the first is a small one, for comparison. */
const ROUTES: readonly (readonly [path: string, bytes: number, wrap: (names: string) => string])[] = [
  ['/v1/check', 12, (names) => names],
  ['/v1/check', 128_000, (names) => names],
  ['/v1/check', 128_000, () => `{"include":[${'"a",'.repeat(31_000)}"a"]}`],
  ['/v1/check/batch', 4_000_000, (names) => `{"images":[${names}]}`],
  ['/v1/scans', 4_000_000, (names) => `{"items":[${names}]}`],
  ['/v1/checks/chk_01ARZ3NDEKTSV4RRFFQ69G5FAV/feedback', 128_000, (names) => names],
  ['/console/api/session', 128_000, (names) => names],
  ['/console/api/links/look', 128_000, (names) => names],
  ['/console/api/links/follow', 128_000, (names) => names],
  ['/console/api/keys', 128_000, (names) => names],
  ['/console/api/invitations', 128_000, (names) => names],
  ['/console/api/records/page', 4_000_000, (names) => `{"record":${names},"signature":{}}`],
  ['/console/api/operator/corrections', 128_000, (names) => names],
];

const { values } = parseArgs({ options: { database: { type: 'string' } } });
const folder = mkdtempSync(join(tmpdir(), 'telltale-stops-'));
const config = loadConfig({
  TELLTALE_DATA_DIR: folder,
  TELLTALE_PORT: '0',
  TELLTALE_THREADS: '2',
  TELLTALE_DATABASE_URL: values.database,
});
const service = await startService(config, { log: pino({ level: 'silent' }) });
const database = await openDatabase(config.database);
const asker = new Worker(ASKER, { eval: true });
try {
  const { key } = await createKey(database, { account: 'bench', plan: 'scale' });
  const { id: accountId } = await ensureAccount(database, 'bench');
  const person = { accountId, email: 'op@bench.example', role: 'operator', by: 'operator' } as const;
  const { token } = await createLink(database, { purpose: 'invitation', ...person });
  const entered = await fetch(`${service.url}/console/api/links/follow`, {
    method: 'POST',
    headers: { origin: service.url, 'content-type': 'application/json' },
    body: JSON.stringify({ token, password: 'a bench is no place for secrets' }),
  });
  const headers = {
    authorization: `Bearer ${key}`,
    origin: service.url,
    cookie: entered.headers.getSetCookie()[0]?.split(';')[0] ?? '',
    'content-type': 'application/json',
  };
  const { cores, processor, loadBefore } = describeMachine();
  console.log(`${cores} cores of an ${processor}, load before ${loadBefore[0]?.toFixed(1)}\n`);
  console.log('| route | bytes | longest stop ms, each of five | answers |\n|---|---|---|---|');
  for (const [path, bytes, wrap] of ROUTES) {
    const body = wrap(namesOf(bytes));
    const stopsMs: number[] = [];
    const answers = new Set<string>();
    for (let round = 0; round <= ROUNDS; round += 1) {
      const delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      const answered = new Promise<readonly unknown[]>((resolve) => asker.once('message', resolve));
      asker.postMessage({ url: `${service.url}${path}`, headers, body });
      for (const status of await answered) answers.add(String(status));
      delay.disable();
      if (round > 0) stopsMs.push(delay.max / 1e6);
    }
    const stops = stopsMs.map((ms) => ms.toFixed(0)).join(', ');
    console.log(`| \`${path}\` | ${body.length} | ${stops} | ${[...answers].join(', ')} |`);
  }
} finally {
  await asker.terminate();
  await service.stop();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
}
