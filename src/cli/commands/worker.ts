// `telltale worker`: checking the images of scans that the service queued. Any number of machines can run
// one.
import { parseArgs } from 'node:util';
import { loadConfig } from '../../config.js';
import { startScanWorker } from '../../service/worker.js';
import { createLog } from '../../service/log.js';
import { waitUntilAborted } from '../../service/cluster.js';
import { ALLOW_INSIDE } from '../../service/outbound/fetch-allow.js';
import { UsageError, type Command } from './command.js';

const HELP = `Usage: telltale worker [--port N] [--private]

Checks the items of scans (POST /v1/scans) and sends webhooks. Run any number of
workers with the same PostgreSQL (TELLTALE_DATABASE_URL=postgres://...). A
worker runs until Ctrl-C or SIGTERM, then finishes its images. If a worker
crashes, another one repeats its work. Checks have lower priority than other
processes of the machine.

  --port N    serve /healthz, /readyz and /metrics on this port (TELLTALE_HOST);
              default: none
  --private   also fetch images from addresses that are not public. Use it only
              if nobody else can start scans, because others could reach your
              internal network. Cloud metadata addresses stay blocked, and
              webhooks are sent only to public addresses. TELLTALE_FETCH_ALLOW
              allows single hosts and networks instead

Settings: as for 'telltale serve'. The log is JSON lines on standard error.

Exit status: 0 stopped by a signal, 1 could not start, 2 wrong usage.`;

export const workerCommand: Command = {
  help: HELP,
  async run(args, terminal) {
    const { values } = parseArgs({
      args,
      options: { port: { type: 'string' }, private: { type: 'boolean', default: false } },
    });
    if (values.port !== undefined && !(/^\d{1,5}$/.test(values.port) && Number(values.port) <= 65_535))
      throw new UsageError('Expected a port from 0 to 65535 for --port');
    const config = loadConfig();
    const worker = await startScanWorker(config, {
      log: createLog(config).log,
      ...(values.port !== undefined && { monitoringPort: Number(values.port) }),
      ...(values.private && { fetcher: { allow: ALLOW_INSIDE } }),
    });
    await waitUntilAborted(terminal.signal);
    await worker.stop();
    return 0;
  },
};
