// The HTTP agent that every request to an address of a caller goes through: it dials public addresses alone.
import { isIP } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { listenForAbort } from 'telltale-engine/internal/base/concurrency/abort-listener.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { Config } from '../../config.js';
import { createFetchAllow, type FetchAllow } from './fetch-allow.js';
import { createTunnels, type OpenTunnel } from './proxy-tunnel.js';
import { isPublicAddress } from './public-address.js';
import { createResolver, resolvePublicHost, type Resolve } from './resolve-host.js';

const TIMEOUT_MS = 10_000;

/** What the operator sets, and what tests put in the place of the world. */
export interface FetcherOptions {
  /** What may be reached beyond public addresses; default: nothing. */
  readonly allow?: FetchAllow | null;
  /** Address of the proxy that connections go through; default: none. */
  readonly proxy?: string | null;
  readonly resolve?: Resolve;
  readonly isAllowed?: (address: string) => boolean;
  /** Longest time for one request, from the look-up to the last byte; default 10 s. */
  readonly timeoutMs?: number;
  /** A certificate to trust beside the system's. */
  readonly ca?: string;
}

/** What the settings say of fetching, for every fetcher and poster of a process. */
export function fetcherOf({
  fetchAllow,
  fetchProxy,
}: Pick<Config, 'fetchAllow' | 'fetchProxy'>): FetcherOptions {
  return { allow: fetchAllow.length === 0 ? null : createFetchAllow(fetchAllow), proxy: fetchProxy };
}

/** The agent, and the time that a request by it may take. */
export interface GuardedAgent {
  readonly agent: Agent;
  readonly timeoutMs: number;
}

/** Makes an agent. It reads no proxy variables and follows no redirect. */
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

/** Settles as `work`, or rejects once `signal` aborts: undici notices an abort only after a look-up that is under way. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopListening = listenForAbort(signal, () => reject(signal.reason as Error));
    work.then(resolve, reject).finally(stopListening);
  });
}

/** Lets go of an answer whose rest is not wanted. */
export function discard(answer: Dispatcher.ResponseData): void {
  // A body that is destroyed closes its connection and reports an abort to nobody.
  answer.body.on('error', () => undefined).destroy();
}

/** The error `url_fetch_failed`. */
export function failed(message: string, cause?: unknown): CheckError {
  return new CheckError('url_fetch_failed', message, { cause });
}

/** What a request by the agent threw, as a CheckError: url_not_public or url_fetch_failed. */
export function asFetchFault(error: unknown): CheckError {
  if (error instanceof CheckError) return error;
  return failed(
    FAILURES[codeOf(error)] ??
      'the address could not be read (no connection, or no valid HTTP or TLS answer)',
    error,
  );
}

/** Node's and undici's codes that a caller can do something about. */
const FAILURES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the address refused the connection',
  ECONNRESET: 'the address closed the connection',
  UND_ERR_CONNECT_TIMEOUT: 'the address did not answer in time',
  UND_ERR_HEADERS_OVERFLOW: 'the address answered with too large headers',
};

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/**
 * Looks the host up once, checks every answer, and dials the very address that was checked. A kept-alive connection
 * stays with that address, so that a name that moves later (rebinding) moves nothing.
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

/** The same connector, through tunnels: TLS is spoken with the host itself. */
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
  const [address, ...others] = addresses;
  if (address === undefined) {
    callback(failed('the host name of the address has no address'), null);
    return;
  }
  connect({ ...options, hostname: address, host: address }, (...result) => {
    if (result[0] !== null && others.length > 0) dialInTurn(connect, options, others, callback);
    else callback(...result);
  });
}
