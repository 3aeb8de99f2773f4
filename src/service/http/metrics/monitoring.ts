// Monitoring server of a scan worker: serves /healthz, /readyz and /metrics on a separate port.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { StartError } from 'telltale-engine/internal/base/errors.js';

/** Objects from which the responses are read. */
interface MonitoringDeps {
  readonly registry: Registry;
  /** Resolves with the body of /readyz if the worker is ready; otherwise rejects. */
  readonly readReadiness: () => Promise<object>;
}

/** A running monitoring server. */
export interface Monitoring {
  /** Port on which the server listens. */
  readonly port: number;
  close(): void;
}

/** Starts a monitoring server. Rejects with StartError `config_invalid` if the port is unavailable. */
export async function startMonitoring(
  { registry, readReadiness }: MonitoringDeps,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Monitoring> {
  const answers: Readonly<Record<string, (res: ServerResponse) => Promise<void>>> = {
    '/healthz': async (res) => sendJson(res, 200, await Promise.resolve({ status: 'ok' })),
    '/readyz': async (res) => {
      await readReadiness().then(
        (readiness) => {
          sendJson(res, 200, { status: 'ready', ...readiness });
        },
        (error: unknown) => {
          sendJson(res, 503, { error: { code: 'unavailable', message: (error as Error).message } });
        },
      );
    },
    '/metrics': async (res) => {
      const text = await registry.metrics();
      res.writeHead(200, { 'content-type': registry.contentType }).end(text);
    },
  };
  const server = createServer((req, res) => {
    const [path = ''] = (req.url ?? '').split('?');
    const answer = Object.hasOwn(answers, path) ? answers[path] : undefined;
    if (!answer)
      sendJson(res, 404, {
        error: { code: 'not_found', message: 'a worker serves /healthz, /readyz, /metrics' },
      });
    else if (req.method !== 'GET' && req.method !== 'HEAD')
      sendJson(res, 405, { error: { code: 'method_not_allowed', message: 'Expected GET' } });
    else answer(res).catch(() => res.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        new StartError('config_invalid', `can't listen on port ${port}: ${cause.code ?? 'refused'}`, {
          cause,
        }),
      ),
    );
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function sendJson(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}
