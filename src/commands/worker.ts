// `telltale worker`: checks the items of scans, on any number of machines that see the same database.
import { readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { parseArgs } from 'node:util';
import { loadConfig } from '../config.js';
import { startScanWorker } from '../scan-worker.js';
import { createLog } from '../service.js';
import { whenAborted } from '../processes/worker.js';
import type { Command } from './command.js';

const HELP = `Usage: telltale worker [--private]

Checks the items of scans (POST /v1/scans) and sends webhooks, on any number of
machines that see the same PostgreSQL: TELLTALE_DATABASE_URL=postgres://... It
runs until Ctrl-C or SIGTERM, then ends the pictures that it has. One that dies
loses nothing: what it had is taken again. It gives way to every other process
of its machine.

  --private   fetch pictures from addresses that are not public, too: only where
              nobody but you begins scans, since others could then look into
              your network; webhooks go to public addresses alone

Settings: as 'telltale serve'. The log is JSON lines on standard error.

Exit status: 0 stopped when told to, 1 could not start, 2 wrong usage.`;

/** The subcommand `worker`. */
export const workerCommand: Command = {
  help: HELP,
  async run(args, terminal) {
    const { values } = parseArgs({ args, options: { private: { type: 'boolean', default: false } } });
    const config = loadConfig();
    giveWay();
    const worker = await startScanWorker(config, {
      log: createLog(config),
      ...(values.private && { fetcher: { isAllowed: () => true } }),
    });
    await whenAborted(terminal.signal);
    await worker.stop();
    return 0;
  },
};

/**
 * Checks over HTTP come first. A priority is a thread's own, which it passes on to those that it makes: the engine's, later;
 * V8's are there already.
 */
function giveWay(): void {
  // Elsewhere than on Linux, the whole process at once.
  const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [0];
  for (const thread of threads) setPriority(thread, constants.priority.PRIORITY_LOW);
}
