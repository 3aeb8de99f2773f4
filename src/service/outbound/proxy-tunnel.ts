// Connections through the operator's proxy. The proxy gets checked IP addresses instead of names to resolve.
import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { isIPv6, type Socket } from 'node:net';

/** Opens a tunnel to `address` (an IP address without brackets) and `port`. Rejects if the proxy fails. */
export type OpenTunnel = (address: string, port: number) => Promise<Socket>;

/**
 * Returns a function that opens tunnels with CONNECT. Only the proxy receives the user name and password in
 * `proxy`.
 */
export function createTunnels(proxy: string, timeoutMs: number): OpenTunnel {
  const url = new URL(proxy);
  const request = url.protocol === 'https:' ? requestTls : requestPlain;
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return (address, port) =>
    new Promise((resolve, reject) => {
      const path = `${isIPv6(address) ? `[${address}]` : address}:${port}`;
      const connectRequest = request({
        host: url.hostname.replace(/^\[|\]$/g, ''),
        port: url.port || (url.protocol === 'https:' ? 443 : 80),
        method: 'CONNECT',
        path,
        headers: {
          host: path,
          ...(credentials !== ':' && {
            'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}`,
          }),
        },
        agent: false,
        timeout: timeoutMs,
      });
      connectRequest.once('timeout', () =>
        connectRequest.destroy(new Error('the proxy did not answer in time')),
      );
      connectRequest.once('error', reject);
      connectRequest.once('response', (answer) => {
        answer.destroy();
        reject(new Error(`the proxy answered with status ${answer.statusCode ?? 0}`));
      });
      connectRequest.once('connect', (answer, socket, head) => {
        if (answer.statusCode !== 200) {
          socket.destroy();
          reject(new Error(`the proxy answered with status ${answer.statusCode ?? 0}`));
          return;
        }
        socket.setTimeout(0);
        if (head.byteLength > 0) socket.unshift(head);
        resolve(socket);
      });
      connectRequest.end();
    });
}
