// A server on 127.0.0.1 that counts connections, to show whether the network was used.
import { createServer, type AddressInfo, type Socket } from 'node:net';

/** A running server that counts connections. */
export interface Canary {
  readonly port: number;
  /** Returns the number of connections so far. */
  visits(): number;
  close(): Promise<void>;
}

/** Starts the server. It never responds, because only connections count. */
export async function startCanary(): Promise<Canary> {
  let visits = 0;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    visits += 1;
    open.add(socket);
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
    socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    visits: () => visits,
    close: () => {
      for (const socket of open) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
