// `telltale serve`: running the HTTP service in one or several processes.
import cluster from 'node:cluster';
import { parseArgs } from 'node:util';
import { loadConfig, type Config } from '../../config.js';
import { runWorker, waitUntilAborted } from '../../service/cluster/worker.js';
import { createLog } from '../../service/log.js';
import { startService } from '../../service/service.js';
import type { Terminal } from '../terminal/terminal.js';
import { UsageError, type Command } from './command.js';
import { ensureDemo } from './serve/demo.js';
import { keepServedUrl } from './serve/served-url.js';

const HELP = `Usage: telltale serve [--host HOST] [--port PORT] [--workers N] [--demo]

Serves the console and the API on http://127.0.0.1:8080. /docs explains the API.
Runs until Ctrl-C or SIGTERM, then finishes running work within 20 s.

  --host HOST   address to listen on (TELLTALE_HOST)
  --port PORT   port; 0 selects a free one (TELLTALE_PORT)
  --workers N   number of processes that share the port (TELLTALE_WORKERS)
  --demo        at the first start, create an account with a growth plan and
                print its key; print a link that signs in to the console

Settings: TELLTALE_DATABASE_URL, TELLTALE_STORE_URL, TELLTALE_PLANS_FILE and the
others in docs/operating.md. The log is JSON lines on standard error.

Exit status: 0 stopped by a signal, 1 could not start, 2 wrong usage.`;

export const serveCommand: Command = {
  help: HELP,
  async run(args, terminal) {
    const { values } = parseArgs({
      args,
      options: {
        host: { type: 'string' },
        port: { type: 'string' },
        workers: { type: 'string' },
        demo: { type: 'boolean', default: false },
      },
    });
    const settings = loadConfig();
    const config: Config = {
      ...settings,
      host: values.host ?? settings.host,
      port: readNumber('--port', values.port, 0, 65_535) ?? settings.port,
      workers: readNumber('--workers', values.workers, 1, 256) ?? settings.workers,
    };
    if (cluster.isWorker) await runWorker(config, terminal.signal);
    else if (config.workers > 1) await runPrimary(config, terminal, values.demo);
    else await runAlone(config, terminal, values.demo);
    return 0;
  },
};

async function runAlone(config: Config, terminal: Terminal, isDemo: boolean): Promise<void> {
  const service = await startService(config);
  await greet(service.url, config, terminal, isDemo);
  await waitUntilAborted(terminal.signal);
  await service.stop();
}

async function runPrimary(config: Config, terminal: Terminal, isDemo: boolean): Promise<void> {
  const { startWorkers } = await import('../../service/cluster/primary.js');
  const workers = await startWorkers(config.workers, createLog(config).log);
  await greet(workers.url, config, terminal, isDemo);
  await waitUntilAborted(terminal.signal);
  await workers.stop();
}

async function greet(url: string, config: Config, terminal: Terminal, isDemo: boolean): Promise<void> {
  await keepServedUrl(config, url);
  await terminal.out.writeLine(
    `telltale serves on ${url} (the console; the API is explained on ${url}/docs)`,
  );
  if (isDemo) await terminal.out.writeLine(await ensureDemo(config, url));
}

function readNumber(
  option: string,
  value: string | undefined,
  minimum: number,
  maximum: number,
): number | null {
  if (value === undefined) return null;
  const number = /^\d{1,6}$/.test(value) ? Number(value) : NaN;
  if (number >= minimum && number <= maximum) return number;
  throw new UsageError(
    `Expected a whole number from ${minimum} to ${maximum} for ${option} but received '${value}'`,
  );
}
