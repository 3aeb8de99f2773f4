// Starting scans (checks of long lists of images) over HTTP and waiting for them, and servers for the scanned images.
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { PresentedScan } from '../../src/service/scans/scan.js';
import type { HttpTarget } from './http-closed-loop.js';

const POLL_MS = 500;

/** Starts a scan of the images at `addresses`. */
export async function startScan(target: HttpTarget, addresses: readonly string[]): Promise<PresentedScan> {
  const list = addresses.map((url, index) => `${JSON.stringify({ url, ref: `item-${index}` })}\n`).join('');
  const form = new FormData();
  form.append('file', new Blob([list]), 'list.jsonl');
  return ask(target, '', { method: 'POST', body: form });
}

/** Requests the scan's state twice a second until `isReached` returns true. */
export async function waitForScan(
  target: HttpTarget,
  id: string,
  isReached: (scan: PresentedScan) => boolean,
): Promise<PresentedScan> {
  for (;;) {
    const scan = await ask(target, `/${id}`);
    if (isReached(scan)) return scan;
    await setTimeout(POLL_MS);
  }
}

export function cancelScan(target: HttpTarget, id: string): Promise<PresentedScan> {
  return ask(target, `/${id}`, { method: 'DELETE' });
}

async function ask({ url, key }: HttpTarget, path: string, init: RequestInit = {}): Promise<PresentedScan> {
  const headers = { authorization: `Bearer ${key ?? ''}` };
  const response = await fetch(`${url}/v1/scans${path}`, { ...init, headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`/v1/scans${path}: status ${response.status}: ${text}`);
  return JSON.parse(text) as PresentedScan;
}

export interface ImageHosts {
  /**
   * Returns the address of item `index` of a scan. Consecutive items are on different hosts and have different images.
   */
  readonly addressOf: (index: number) => string;
  close(): void;
}

/** Serves `files` on `count` ports of this machine, which the service treats as different hosts. */
export async function openImageHosts(files: readonly string[], count: number): Promise<ImageHosts> {
  const images = files.map((path) => readFileSync(path));
  const open = async (): Promise<Server> => {
    const server = createServer(({ url = '' }, response) => {
      const index = Number(url.slice(1));
      response.end(images[index % images.length]);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return server;
  };
  const servers = await Promise.all(Array.from({ length: count }, open));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  return {
    addressOf: (index) => `http://127.0.0.1:${ports[index % count] ?? 0}/${index}`,
    close() {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}
