// HTTP agent for requests to addresses from callers. Connects only to public addresses, and to others that
// the operator allows, so that callers can't reach internal services.
import { isIP, isIPv6, type Socket } from 'node:net';
import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { listenForAbort } from 'telltale-engine/internal/base/concurrency.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { Config } from '../../config.js';
import {
  createFetchAllow,
  type FetchAllow,
  isInsideAddress,
  isPublicAddress,
  isInsideName,
} from './fetch-allow.js';

const TIMEOUT_MS = 10_000;

/** Settings of the operator, and replacements for tests. */
export interface FetcherOptions {
  /** Rules that allow some non-public addresses; by default none are allowed. */
  readonly allow?: FetchAllow | null;
  /** Address of the operator's outbound proxy, if there is one. */
  readonly proxy?: string | null;
  readonly resolve?: Resolve;
  readonly isAllowed?: (address: string) => boolean;
  /** Time limit from the name look-up to the last byte of the response; default 10 s. */
  readonly timeoutMs?: number;
  /** CA certificate to trust in addition to the system's certificates. */
  readonly ca?: string;
}

/** Returns the configured options for all outbound requests of a process. */
export function fetcherOf({
  fetchAllow,
  fetchProxy,
}: Pick<Config, 'fetchAllow' | 'fetchProxy'>): FetcherOptions {
  return { allow: fetchAllow.length === 0 ? null : createFetchAllow(fetchAllow), proxy: fetchProxy };
}

/** An agent with the time limit for its requests. */
interface GuardedAgent {
  readonly agent: Agent;
  readonly timeoutMs: number;
}

/** Creates an agent. It ignores proxy environment variables and follows no redirects. */
export function createGuardedAgent(options: FetcherOptions = {}): GuardedAgent {
  const { resolve = createResolver(), isAllowed = isPublicAddress, timeoutMs = TIMEOUT_MS } = options;
  const { allow = null, proxy = null } = options;
  const lookUp = (host: string): Promise<readonly string[]> =>
    resolvePublicHost(host, resolve, isAllowed, allow);
  const openTunnel = proxy === null ? null : createTunnels(proxy, timeoutMs);
  const agent = new Agent({
    connect: guardedConnector(lookUp, openTunnel, options.ca),
    maxHeaderSize: 16_384,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  return { agent, timeoutMs };
}

/**
 * Settles as `work` does, or rejects immediately when `signal` aborts. Needed because undici reacts to an
 * abort only after a running name look-up.
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopListening = listenForAbort(signal, () => reject(signal.reason as Error));
    work.then(resolve, reject).finally(stopListening);
  });
}

/** Discards the rest of a response. */
export function discard(answer: Dispatcher.ResponseData): void {
  // Destroying the body closes the connection and emits an error, which is ignored.
  answer.body.on('error', () => undefined).destroy();
}

/** Creates the error `url_fetch_failed`. */
export function failed(message: string, cause?: unknown): CheckError {
  return new CheckError('url_fetch_failed', message, { cause });
}

/** Converts the error of a failed request to CheckError url_not_public or url_fetch_failed. */
export function asFetchFault(error: unknown): CheckError {
  if (error instanceof CheckError) return error;
  return failed(
    FAILURES[codeOf(error)] ??
      'the address could not be read (no connection, or no valid HTTP or TLS response)',
    error,
  );
}

/** Messages for error codes of Node and undici, if a caller can do something about the error. */
const FAILURES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the address refused the connection',
  ECONNRESET: 'the address closed the connection',
  UND_ERR_CONNECT_TIMEOUT: 'the address did not respond in time',
  UND_ERR_HEADERS_OVERFLOW: 'the address responded with too large headers',
};

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/**
 * Creates a connector that resolves the host once, checks every address, and connects to a checked one. A
 * reused connection keeps its address, so a later change of the name's address has no effect.
 */
function guardedConnector(
  lookUp: Resolve,
  openTunnel: OpenTunnel | null,
  ca?: string,
): buildConnector.connector {
  const direct = buildConnector({ timeout: TIMEOUT_MS, ...(ca !== undefined && { ca }) });
  const connect = openTunnel === null ? direct : tunnelled(direct, openTunnel);
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    const dial = async (): Promise<void> => {
      const addresses = await lookUp(host);
      const servername = isIP(host) === 0 ? host.replace(/\.$/, '') : '';
      dialInTurn(connect, { ...options, servername }, addresses, callback);
    };
    dial().catch((error: unknown) => callback(error as Error, null));
  };
}

/** Makes the connector use the proxy. TLS is negotiated with the host itself, not with the proxy. */
function tunnelled(connect: buildConnector.connector, openTunnel: OpenTunnel): buildConnector.connector {
  return (options, callback) => {
    const isTls = options.protocol === 'https:';
    openTunnel(options.hostname, Number(options.port) || (isTls ? 443 : 80)).then(
      (socket) => {
        if (isTls) connect({ ...options, httpSocket: socket }, callback);
        else callback(null, socket);
      },
      (error: unknown) =>
        callback(failed('the proxy of the service did not connect to the address', error), null),
    );
  };
}

function dialInTurn(
  connect: buildConnector.connector,
  options: buildConnector.Options,
  addresses: readonly string[],
  callback: buildConnector.Callback,
): void {
  const [address, ...otherAddresses] = addresses;
  if (address === undefined) {
    callback(failed('the host name of the address has no address'), null);
    return;
  }
  connect({ ...options, hostname: address, host: address }, (...result) => {
    if (result[0] !== null && otherAddresses.length > 0)
      dialInTurn(connect, options, otherAddresses, callback);
    else callback(...result);
  });
}

/** Opens a tunnel to `address` (an IP address without brackets) and `port`. Rejects if the proxy fails. */
type OpenTunnel = (address: string, port: number) => Promise<Socket>;

/**
 * Returns a function that opens tunnels with CONNECT. Only the proxy receives the user name and password in
 * `proxy`.
 */
function createTunnels(proxy: string, timeoutMs: number): OpenTunnel {
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
        connectRequest.destroy(new Error('the proxy did not respond in time')),
      );
      connectRequest.once('error', reject);
      connectRequest.once('response', (answer) => {
        answer.destroy();
        reject(new Error(`the proxy responded with status ${answer.statusCode ?? 0}`));
      });
      connectRequest.once('connect', (answer, socket, head) => {
        if (answer.statusCode !== 200) {
          socket.destroy();
          reject(new Error(`the proxy responded with status ${answer.statusCode ?? 0}`));
          return;
        }
        socket.setTimeout(0);
        if (head.byteLength > 0) socket.unshift(head);
        resolve(socket);
      });
      connectRequest.end();
    });
}

/** Function that returns every IPv4 and IPv6 address of a name. Rejects if the name has no address. */
type Resolve = (host: string) => Promise<readonly string[]>;

/**
 * Creates a resolver that queries name servers directly. The system's resolver runs in Node's thread pool,
 * where four slow names would block file access, and it adds search domains. It also reads /etc/hosts, which
 * only `resolvePublicHost` does here, for hosts that the operator allows.
 */
function createResolver(): Resolve {
  return async (host) => {
    const resolver = new Resolver({ timeout: 2000, tries: 2 });
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0) throw answers.find((answer) => answer.status === 'rejected')?.reason;
    return addresses;
  };
}

const HOSTS_FILE = '/etc/hosts';

/** Returns the addresses of a name in /etc/hosts, or an empty list for an unknown name. */
export async function readHostsFile(host: string, path = HOSTS_FILE): Promise<readonly string[]> {
  const name = host.toLowerCase().replace(/\.$/, '');
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    return isIP(address) !== 0 && names.some((hostName) => hostName.toLowerCase() === name) ? [address] : [];
  });
}

/**
 * Returns the addresses of `host` (a name, or an IP address without brackets) if all are public or allowed.
 * The caller must connect to these addresses, because a second look-up could return others. Throws CheckError
 * url_not_public if any address is refused, and url_fetch_failed for an unknown name.
 */
export async function resolvePublicHost(
  host: string,
  resolve: Resolve,
  isPublic: (address: string) => boolean = isPublicAddress,
  allow: FetchAllow | null = null,
): Promise<readonly string[]> {
  const isNamed = allow?.hasName(host) ?? false;
  const isAllowed = (address: string): boolean =>
    isPublic(address) || (isNamed ? isInsideAddress(address) : (allow?.hasAddress(address) ?? false));
  if (isIP(host) !== 0) return requirePublic([host], isAllowed);
  const isInside = isInsideName(host);
  if (isInside && !isNamed && allow?.hasNetworks !== true) throw notPublic();
  let addresses = isInside || isNamed ? await readHostsFile(host) : [];
  try {
    if (addresses.length === 0) addresses = await resolve(host);
  } catch (cause) {
    throw new CheckError('url_fetch_failed', 'the host name of the address could not be resolved', { cause });
  }
  return requirePublic(addresses, isAllowed);
}

function requirePublic(
  addresses: readonly string[],
  isAllowed: (address: string) => boolean,
): readonly string[] {
  if (addresses.every(isAllowed)) return addresses;
  throw notPublic();
}

function notPublic(): CheckError {
  // The message omits the address, because callers must not learn addresses inside the operator's network.
  return new CheckError(
    'url_not_public',
    'The address, or an address that it redirects to, is not a public internet address',
  );
}
