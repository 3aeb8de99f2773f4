// Replaces AI makers' services in tests. The replacements follow the published schemas and are reached under
// the real host names, through a proxy and a certificate of the test.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import type { FetcherOptions } from '../../src/service/outbound/guarded-agent.js';
import { openCertificateShop } from './certificates.js';

/** A received request. */
export interface AskedRequest {
  readonly host: string;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Responds to one request. */
export type Reply = (request: AskedRequest, res: ServerResponse) => void;

/** The replaced services of a test. */
export interface MakerServices {
  /** Every received request, in order. */
  readonly asked: AskedRequest[];
  /** Responses by host, set by a test. */
  readonly replies: Map<string, Reply>;
  /** Options that let a Telltale service reach the replacements. */
  readonly fetcher: FetcherOptions;
  close(): void;
}

/** Responds with JSON. */
export function sendJson(res: ServerResponse, status: number, body: unknown, headers: object = {}): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** Starts a replacement for each of these hosts. */
export async function openMakerServices(hosts: readonly string[]): Promise<MakerServices> {
  const shop = openCertificateShop();
  const root = shop.makeRoot('Makers Root');
  const asked: AskedRequest[] = [];
  const replies = new Map<string, Reply>();
  const listen = async (server: ReturnType<typeof createServer>): Promise<number> => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  };
  const open = async (host: string) => {
    const { keyPath, certificatePath } = shop.issue(root, { commonName: host, purpose: 'serverAuth' });
    const pair = { key: readFileSync(keyPath), cert: readFileSync(certificatePath) };
    const server = createTlsServer(pair, (req, res) => {
      const pieces: Buffer[] = [];
      req.on('data', (piece: Buffer) => pieces.push(piece));
      req.on('end', () => {
        const { method = '', url: path = '', headers } = req;
        const request = { host, method, path, headers, body: Buffer.concat(pieces) };
        asked.push(request);
        replies.get(host)?.(request, res);
      });
      req.on('error', () => undefined);
    });
    return [host, { server, port: await listen(server) }] as const;
  };
  // Each host gets an address reserved for documentation, so that the proxy can tell the hosts apart.
  const opened = new Map(await Promise.all(hosts.map(open)));
  const addressOf = (host: string): string => `192.0.2.${hosts.indexOf(host) + 1}`;
  const proxy = createServer().on('connect', (req, client) => {
    const host = hosts.find((one) => req.url === `${addressOf(one)}:443`);
    const upstream = connect(opened.get(host ?? '')?.port ?? 1, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    for (const socket of [client, upstream]) socket.on('error', () => upstream.destroy());
  });
  const proxyPort = await listen(proxy);
  return {
    asked,
    replies,
    fetcher: {
      proxy: `http://127.0.0.1:${proxyPort}/`,
      ca: readFileSync(root.certificatePath, 'utf8'),
      resolve: (host) => Promise.resolve(hosts.includes(host) ? [addressOf(host)] : []),
      isAllowed: () => true,
    },
    close() {
      for (const server of [proxy, ...[...opened.values()].map((one) => one.server)]) {
        server.closeAllConnections();
        server.close();
      }
      shop.close();
    },
  };
}
