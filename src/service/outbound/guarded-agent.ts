// HTTP agent for requests to addresses from callers. Connects only to public addresses, and to others that
// the operator allows, so that callers can't reach internal services.
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
export interface GuardedAgent {
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
      'the address could not be read (no connection, or no valid HTTP or TLS answer)',
    error,
  );
}

/** Messages for error codes of Node and undici, if a caller can do something about the error. */
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
