// How long hostile headers hold up the event loop, by `node --import tsx bench/pauses.ts`. It sends batches of eight
// such pictures to a service in this process. It prints the longest pause, and how late /healthz was.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pino } from 'pino';
import { createKey } from '../src/accounts/keys.js';
import { loadConfig } from '../src/config.js';
import { openDatabase } from '../src/storage/db/database.js';
import { startService } from '../src/service/service.js';
import { avifOfManyRuns, pngOfEntities } from '../test/support/hostile-pictures.js';
import { SCENE_JPEG } from '../test/support/pictures.js';
import { watchHealth } from './load/health.js';
import { describeMachine } from './machine.js';

const ROUNDS = 5;
const folder = mkdtempSync(join(tmpdir(), 'telltale-pauses-'));
const database = { kind: 'sqlite', path: join(folder, 'telltale.sqlite') } as const;
const config = { ...loadConfig({ TELLTALE_DATA_DIR: folder }), port: 0, threads: 2, database };
const service = await startService(config, { log: pino({ level: 'silent' }) });
const accounts = await openDatabase(database);
try {
  const { key } = await createKey(accounts, { account: 'bench', plan: 'scale' });
  const { cores, processor, loadBefore } = describeMachine();
  console.log(`${cores} cores of an ${processor}, load before ${loadBefore[0]?.toFixed(1)}\n`);
  console.log(
    '| batch of eight | longest pause ms, each of five | /healthz at the latest ms |\n|---|---|---|',
  );
  for (const [name, bytes] of [
    ['plain JPEG, for comparison', SCENE_JPEG],
    ['AVIF of 49,000 chunks and 4,095 runs', avifOfManyRuns()],
    ['PNG with 500 kB of XMP entities', pngOfEntities()],
  ] as const) {
    const images = Array.from({ length: 8 }, () => ({ image_b64: bytes.toString('base64') }));
    const body = JSON.stringify({ images });
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const pausesMs: number[] = [];
    const waitsMs: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const delay = monitorEventLoopDelay({ resolution: 1 });
      const health = watchHealth(service.url);
      delay.enable();
      await (await fetch(`${service.url}/v1/check/batch`, { method: 'POST', headers, body })).arrayBuffer();
      delay.disable();
      waitsMs.push(...(await health.stop()));
      pausesMs.push(delay.max / 1e6);
    }
    console.log(
      `| ${name} | ${pausesMs.map((ms) => ms.toFixed(0)).join(', ')} | ${Math.max(...waitsMs).toFixed(0)} |`,
    );
  }
} finally {
  await service.stop();
  await accounts.close();
  rmSync(folder, { recursive: true, force: true });
}
