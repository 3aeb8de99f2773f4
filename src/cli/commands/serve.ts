// `telltale serve`: running the HTTP service in one or several processes.
import cluster from 'node:cluster';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { loadConfig, type Config } from '../../config.js';
import { runWorker, waitUntilAborted } from '../../service/cluster.js';
import { createLog } from '../../service/log.js';
import { startService } from '../../service/service.js';
import type { Terminal } from '../terminal/terminal.js';
import { UsageError, type Command } from './command.js';
import { keepServedUrl } from './serve/served-url.js';
import { ensureAccount, findAccount } from '../../accounts/accounts.js';
import { createKey } from '../../accounts/keys.js';
import type { Database } from '../../storage/db/database.js';
import { createLink } from '../../accounts/members/links.js';
import { withDatabase } from './open-database.js';

const ACCOUNT = 'demo';
/** E-mail address of the demo's member, who signs in only by links. RFC 2606 reserves `.invalid`. */
const EMAIL = 'demo@telltale.invalid';
const SAMPLE_IMAGE = fileURLToPath(new URL('../../../samples/portrait.png', import.meta.url));

/** Creates the demo account, an API key if it has none, and a new link. Returns a text to print. */
function ensureDemo(config: Config, url: string): Promise<string> {
  return withDatabase(config, async (database) =>
    [await describeKey(database, url), await describeLink(database, config.publicUrl ?? url)].join('\n'),
  );
}

async function describeKey(database: Database, url: string): Promise<string> {
  if (await findAccount(database, ACCOUNT)) {
    return `The key of the account '${ACCOUNT}' was shown at the first start; 'telltale keys create --account ${ACCOUNT} --plan growth' makes another.`;
  }
  const { key } = await createKey(database, { account: ACCOUNT, plan: 'growth', name: 'first start' });
  return [
    `Account '${ACCOUNT}', plan growth, API key (shown only once): ${key}`,
    'Try it:',
    '',
    `  curl -H 'Authorization: Bearer ${key}' -F 'file=@${SAMPLE_IMAGE}' ${url}/v1/check`,
    '',
  ].join('\n');
}

async function describeLink(database: Database, url: string): Promise<string> {
  const { id: accountId } = await ensureAccount(database, ACCOUNT);
  const role = 'operator';
  const { token } = await createLink(database, {
    purpose: 'sign_in',
    accountId,
    email: EMAIL,
    role,
    by: role,
  });
  return `Console: ${url}/invitation#${token} (signs in once, within an hour)`;
}

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
  const { startWorkers } = await import('../../service/cluster.js');
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
