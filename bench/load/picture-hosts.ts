// Pictures behind HTTP, from several hosts: a host is asked for no more than ten a second.
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Servers that are up. */
export interface PictureHosts {
  /** Address number `index`: the hosts in turn, the pictures in turn. */
  readonly addressOf: (index: number) => string;
  close(): void;
}

/** Serves `files` from `count` ports of the loopback address. */
export async function openPictureHosts(files: readonly string[], count: number): Promise<PictureHosts> {
  const pictures = files.map((path) => readFileSync(path));
  const open = async (): Promise<Server> => {
    const server = createServer(({ url = '' }, response) => {
      const index = Number(url.slice(1));
      response.end(pictures[index % pictures.length]);
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
