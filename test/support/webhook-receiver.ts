// A webhook receiver: a real https server that verifies each signature with the official library.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import type { FetcherOptions } from '../../src/service/outbound/guarded-agent.js';
import { isPublicAddress } from '../../src/service/outbound/fetch-allow.js';
import { openCertificateShop } from './certificates.js';

const HOST = 'hooks.example.org';

/** A received request. */
export interface Arrival {
  readonly path: string;
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly event: { readonly type: string; readonly timestamp: string; readonly data: unknown };
}

/** A running receiver. */
export interface Receiver {
  /** `https://hooks.example.org:PORT`, which `world` resolves to the receiver. */
  readonly url: string;
  /**
   * Options under which 127.0.0.1 counts as a public address, every name leads to it, and the receiver's
   * certificate is trusted.
   */
  readonly world: FetcherOptions;
  /** Every request so far, in order. */
  readonly arrivals: readonly Arrival[];
  /** Sets the response to all further requests. The handler may leave a request without a response. */
  answer(handle: (req: IncomingMessage, res: ServerResponse) => unknown): void;
  /** Waits until `count` requests have arrived at `path` and returns them. */
  waitFor(path: string, count: number): Promise<readonly Arrival[]>;
  close(): void;
}

/** Opens a receiver that responds with 204. */
export async function openReceiver(): Promise<Receiver> {
  const shop = openCertificateShop();
  const root = shop.makeRoot('Telltale Tests Web Root');
  const { certificatePath, keyPath } = shop.issue(root, { commonName: HOST, purpose: 'serverAuth' });
  const arrivals: Arrival[] = [];
  const accept = (_req: IncomingMessage, res: ServerResponse): unknown => res.writeHead(204).end();
  let handle = accept;
  const pair = { cert: readFileSync(certificatePath), key: readFileSync(keyPath) };
  const server = createServer(pair, (req, res) => {
    void text(req).then((body) => {
      const headers = req.headers as Record<string, string>;
      const event = JSON.parse(body) as Arrival['event'];
      arrivals.push({ path: req.url ?? '', id: headers['webhook-id'] ?? '', headers, body, event });
      handle(req, res);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `https://${HOST}:${(server.address() as AddressInfo).port}`;
  return {
    url,
    world: {
      resolve: () => Promise.resolve(['127.0.0.1']),
      isAllowed: (address) => address === '127.0.0.1' || isPublicAddress(address),
      ca: readFileSync(root.certificatePath, 'utf8'),
    },
    arrivals,
    answer(other) {
      handle = other;
    },
    async waitFor(path, count) {
      for (;;) {
        const found = arrivals.filter((arrival) => arrival.path === path);
        if (found.length >= count) return found;
        await setTimeout(20);
      }
    },
    close() {
      server.closeAllConnections();
      server.close();
      shop.close();
    },
  };
}

/** Returns whether a request is signed with `secret`. */
export function isSignedWith({ headers, body }: Arrival, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}
