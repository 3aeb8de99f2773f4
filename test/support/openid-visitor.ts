// A person who signs in by OpenID Connect, as far as HTTP goes, and the service that knows its own address.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { callConsole, clientOf, type Refusal, type Reply, type ConsoleClient } from './console.js';
import { CLIENT } from './openid-provider.js';
import { openBench, type ServiceBench } from './service.js';

/** Where a sign-in begins. */
export const OPENID_START = '/console/oidc/start';

/** A browser as far as cookies and redirects go. */
export class Visitor {
  readonly #cookies = new Map<string, Map<string, string>>();

  /** One request, redirects not followed. */
  async get(url: string): Promise<Response> {
    const { origin } = new URL(url);
    const headers = { cookie: this.#bring(url), origin };
    const response = await fetch(url, { redirect: 'manual', headers });
    this.#keep(url, response.headers);
    return response;
  }

  /** One call of the console's own API at `url`, with the cookies of before. */
  async call<T = Refusal>(url: string, method: string, path: string, body?: unknown): Promise<Reply<T>> {
    const reply = await callConsole<T>(url, method, path, { body, cookie: this.#bring(url) });
    this.#keep(url, reply.headers);
    return reply;
  }

  #bring(url: string): string {
    const jar = this.#cookies.get(new URL(url).host) ?? [];
    return [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  #keep(url: string, headers: Headers): void {
    const { host } = new URL(url);
    const jar = this.#cookies.get(host) ?? new Map<string, string>();
    for (const line of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    this.#cookies.set(host, jar);
  }

  /** Follows redirects up to an answer, or to an address that fits `until`; gives its address. */
  async follow(from: string, until = /$^/): Promise<string> {
    let url = from;
    for (let hops = 0; hops < 20 && !until.test(url); hops += 1) {
      const response = await this.get(url);
      const location = response.headers.get('location');
      if (location === null) return url;
      url = new URL(location, url).href;
    }
    return url;
  }

  /** The calls of the person who is signed in here. */
  client(url: string): ConsoleClient {
    const token = this.#cookies.get(new URL(url).host)?.get('telltale_session') ?? '';
    return clientOf(url, `telltale_session=${token}`);
  }
}

/** A service whose address is known before it starts. */
export async function openAt(folder: string, port: number, issuer: string): Promise<ServiceBench> {
  const url = `http://127.0.0.1:${port}`;
  return openBench(
    { kind: 'sqlite', path: join(folder, 'telltale.sqlite') },
    { port, publicUrl: url, openId: { issuer, ...CLIENT } },
  );
}

/** A port that nobody listens on. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
