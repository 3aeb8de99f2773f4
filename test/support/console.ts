// A member's session without a browser: the cookie, and the header that browsers add to changes.
import { makeLink, type Person } from './browser.js';
import { send, type Answer, type ServiceBench } from './service.js';

/** Calls of the console's own API by one member. */
export interface ConsoleClient {
  readonly cookie: string;
  /** `path` is what follows /console/api; the origin is the service's own unless `headers` names another. */
  call<T = Refusal>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Reply<T>>;
  /** Checks an image by hand. */
  check(bytes: Uint8Array, query?: string, headers?: Record<string, string>): Promise<Answer>;
}

/** The body of an error. */
export interface Refusal {
  readonly error: { readonly code: string };
}

/** An answer of the console's own API, of the shape that the test expects; `body` is null if there is none. */
export interface Reply<T = Refusal> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: T;
}

/** Sends a request of the console's API with this cookie. */
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

/** The cookie that an answer sets, as a request sends it. */
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

/** Calls with a cookie that is there already. */
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
