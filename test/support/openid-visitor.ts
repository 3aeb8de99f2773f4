// A person who signs in by OpenID Connect over HTTP, and a service whose public address is known.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { callConsole, clientOf, type Refusal, type Reply, type ConsoleClient } from './console.js';
import { CLIENT } from './openid-provider.js';
import { openBench, type ServiceBench } from './service.js';

/** Path at which a sign-in begins. */
export const OPENID_START = '/console/oidc/start';

/** A simple browser that handles only cookies and redirects. */
export class Visitor {
  readonly #cookies = new Map<string, Map<string, string>>();

  /** Sends one request without following redirects. */
  async get(url: string): Promise<Response> {
    const { origin } = new URL(url);
    const headers = { cookie: this.#bring(url), origin };
    const response = await fetch(url, { redirect: 'manual', headers });
    this.#keep(url, response.headers);
    return response;
  }

  /** Calls the console API at `url` with the current cookies. */
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

  /** Follows redirects until there is a page or an address that matches `until`. Returns the address. */
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

  /** Returns a client with the session of the person who is signed in. */
  client(url: string): ConsoleClient {
    const token = this.#cookies.get(new URL(url).host)?.get('telltale_session') ?? '';
    return clientOf(url, `telltale_session=${token}`);
  }
}

/** Starts a service on a given port, so that its public address is known before. */
export async function openAt(folder: string, port: number, issuer: string): Promise<ServiceBench> {
  const url = `http://127.0.0.1:${port}`;
  return openBench(
    { kind: 'sqlite', path: join(folder, 'telltale.sqlite') },
    { port, publicUrl: url, openId: { issuer, ...CLIENT } },
  );
}

/** Returns a free port. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
