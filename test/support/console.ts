// Calls the console API as a member without a browser, with the session cookie and the header that browsers
// add to changes.
import { makeLink, type Person } from './browser.js';
import { send, type Answer, type ServiceBench } from './service.js';

/** Calls of the console API by one member. */
export interface ConsoleClient {
  readonly cookie: string;
  /**
   * Sends a request. `path` follows /console/api. The Origin header is the service's own unless `headers`
   * contains another.
   */
  call<T = Refusal>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Reply<T>>;
  /** Runs a manual check of an image. */
  check(bytes: Uint8Array, query?: string, headers?: Record<string, string>): Promise<Answer>;
}

/** Body of an error response. */
export interface Refusal {
  readonly error: { readonly code: string };
}

/** A response of the console API in the expected form. `body` is null for an empty response. */
export interface Reply<T = Refusal> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: T;
}

/** Sends a console API request with this cookie. */
export async function callConsole<T = Refusal>(
  url: string,
  method: string,
  path: string,
  {
    body,
    cookie = '',
    headers = {},
  }: { body?: unknown; cookie?: string; headers?: Record<string, string> } = {},
): Promise<Reply<T>> {
  const response = await fetch(`${url}/console/api${path}`, {
    method,
    headers: {
      origin: url,
      cookie,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  const parsed: unknown = isJson ? JSON.parse(text) : null;
  return { status: response.status, headers: response.headers, text, body: parsed as T };
}

/** Returns the cookie that a response sets, in the form in which a request sends it. */
export function cookieOf(reply: Reply<unknown>): string {
  return reply.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

/** Signs a person in by a link. */
export async function signIn(bench: ServiceBench, person: Person): Promise<ConsoleClient> {
  const link = await makeLink(bench.database, bench.url, person);
  const token = link.slice(link.indexOf('#') + 1);
  return clientOf(
    bench.url,
    cookieOf(await callConsole(bench.url, 'POST', '/links/follow', { body: { token } })),
  );
}

/** Creates a client with an existing cookie. */
export function clientOf(url: string, cookie: string): ConsoleClient {
  return {
    cookie,
    call: (method, path, body, headers = {}) => callConsole(url, method, path, { body, cookie, headers }),
    check(bytes, query = '', headers = {}) {
      const form = new FormData();
      form.append('file', new Blob([new Uint8Array(bytes)]), 'picture.bin');
      return send(`${url}/console/api/checks${query}`, {
        method: 'POST',
        headers: { origin: url, cookie, ...headers },
        body: form,
      });
    },
  };
}
