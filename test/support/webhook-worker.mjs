// Program that webhook-worker.ts starts: delivers webhooks with the compiled code. `node webhook-worker.mjs
// DATABASE_URL CERTIFICATE` prints a line when it starts to deliver, and stops on SIGTERM.
import { argv } from 'node:process';
import { pino } from 'pino';
import { startDeliveries } from '../../dist/service/webhooks/work.js';
import { openDatabase } from '../../dist/storage/db/database.js';
import { openQueue } from '../../dist/storage/queue/queue.js';

const PAUSE_MS = 1000;
const [, , url, ca] = argv;

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
