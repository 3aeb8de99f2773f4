// A process that delivers webhooks and nothing else, in the world of a receiver; started by `startWebhookWorker`.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { openDatabase } from '../../src/storage/db/database.js';
import { openQueue } from '../../src/storage/queue/queue.js';
import { startDeliveries } from '../../src/service/webhooks/work.js';

const PAUSE_MS = 1000;
const self = fileURLToPath(import.meta.url);

/** Starts one on the database at `url`; resolves when it delivers. */
export async function startWebhookWorker(url: string, ca: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--import', 'tsx', self, url, ca], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

async function run(url: string, ca: string): Promise<void> {
  const stop = await startDeliveries({
    database: await openDatabase({ kind: 'postgres', url }),
    queue: await openQueue(url, () => undefined),
    log: pino({ level: 'silent' }),
    fetcher: {
      resolve: () => Promise.resolve(['127.0.0.1']),
      isAllowed: (address) => address === '127.0.0.1',
      ca,
    },
    pauseMs: () => PAUSE_MS,
  });
  process.once('SIGTERM', () => void stop().then(() => process.exit(0)));
  process.stdout.write('delivering\n');
}

if (process.argv[1] === self) await run(process.argv[2] ?? '', process.argv[3] ?? '');
