// Fetches the picture behind an image_url from a public address, within limits of time, size and redirects.
import { isIP } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { MAX_IMAGE_BYTES } from '../../check/limits.js';
import { CheckError } from '../../errors.js';
import { ByteCollector } from '../byte-collector.js';
import { Gate } from '../gate.js';
import { isPublicAddress } from './public-address.js';
import { createResolver, resolvePublicHost, type Resolve } from './resolve-host.js';

const MAX_REDIRECTS = 5;
const MAX_URL_LENGTH = 8192;
const TIMEOUT_MS = 10_000;
const MAX_FETCHES = 100;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/** Takes the size of each chunk as it comes; throws where it is too much. */
export type CountBytes = (sizeBytes: number) => void;

/** Fetches pictures; one a process, so that its limits hold for all requests together. */
export interface ImageFetcher {
  /**
   * The bytes at `url`. `countBytes` lets a batch count all of its pictures together. Errors: invalid_url,
   * url_not_public, url_fetch_failed, image_too_large, what `countBytes` throws, or the signal's reason.
   */
  fetch(url: string, signal: AbortSignal, countBytes?: CountBytes): Promise<Buffer>;
  close(): Promise<void>;
}

/** What tests put in the place of the world. */
export interface FetcherOptions {
  readonly resolve?: Resolve;
  readonly isAllowed?: (address: string) => boolean;
  readonly timeoutMs?: number;
  /** A certificate to trust beside the system's. */
  readonly ca?: string;
}

/** Makes a fetcher. It reads no proxy variables and follows no redirect that it did not check. */
export function createImageFetcher(options: FetcherOptions = {}): ImageFetcher {
  const { resolve = createResolver(), isAllowed = isPublicAddress, timeoutMs = TIMEOUT_MS } = options;
  const agent = new Agent({
    connect: guardedConnector(resolve, isAllowed, options.ca),
    maxHeaderSize: 16_384,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  const gate = new Gate({
    places: MAX_FETCHES,
    queueLimit: Infinity,
    refuse: () => failed('the service is stopping'),
  });
  return {
    async fetch(url, signal, countBytes) {
      const first = parseImageUrl(url);
      const timeout = AbortSignal.timeout(timeoutMs);
      const either = AbortSignal.any([signal, timeout]);
      try {
        const release = await gate.enter(either);
        try {
          return await untilAborted(follow(agent, first, either, countBytes), either);
        } finally {
          release();
        }
      } catch (error) {
        signal.throwIfAborted();
        if (timeout.aborted)
          throw failed(`the address did not deliver the image within ${timeoutMs / 1000} s`, error);
        throw asFetchFault(error);
      }
    },
    close: () => agent.destroy(),
  };
}

/** The address of a picture, checked as far as it can be without a look-up. Throws CheckError invalid_url. */
export function parseImageUrl(text: string): URL {
  const isAbsolute = /^https?:\/\/[^/]/i.test(text) && text.length <= MAX_URL_LENGTH && URL.canParse(text);
  if (!isAbsolute) {
    throw new CheckError(
      'invalid_url',
      `image_url is not an absolute http or https address of at most ${MAX_URL_LENGTH} characters`,
    );
  }
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    throw new CheckError('invalid_url', 'image_url holds a user name or password; send an address without');
  }
  return url;
}

/** Settles as `work`, or rejects once `signal` aborts: undici notices an abort only after a look-up that is under way. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

async function follow(
  agent: Agent,
  first: URL,
  signal: AbortSignal,
  countBytes?: CountBytes,
): Promise<Buffer> {
  let url = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const answer = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'GET',
      // Uncompressed: a few kilobytes of gzip could become gigabytes, and pictures are compressed already.
      headers: { accept: 'image/*', 'accept-encoding': 'identity', 'user-agent': 'telltale' },
      signal,
    });
    if (!REDIRECTS.includes(answer.statusCode)) return readBody(answer, countBytes);
    discard(answer);
    url = nextUrl(answer, url);
  }
  throw failed(`the address redirects more than ${MAX_REDIRECTS} times`);
}

function nextUrl(answer: Dispatcher.ResponseData, from: URL): URL {
  const location = answer.headers.location;
  if (typeof location !== 'string' || !URL.canParse(location, from))
    throw failed('the address redirects to nowhere');
  try {
    return parseImageUrl(new URL(location, from).href);
  } catch (cause) {
    throw failed('the address redirects to something other than a plain http or https address', cause);
  }
}

async function readBody(answer: Dispatcher.ResponseData, countBytes?: CountBytes): Promise<Buffer> {
  try {
    const { statusCode, headers } = answer;
    if (statusCode !== 200) throw failed(`the address answered with status ${statusCode} instead of 200`);
    const encoding = headers['content-encoding'];
    if (encoding !== undefined && encoding !== 'identity')
      throw failed('the address answered with a compressed body');
    const announced = Number(headers['content-length'] ?? 0);
    if (announced > MAX_IMAGE_BYTES) throw tooLarge();
    const bytes = new ByteCollector(MAX_IMAGE_BYTES, announced);
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      countBytes?.(chunk.byteLength);
      if (!bytes.append(chunk)) throw tooLarge();
    }
    return bytes.view();
  } catch (error) {
    discard(answer);
    throw error;
  }
}

function discard(answer: Dispatcher.ResponseData): void {
  // The rest is not wanted: a body that is destroyed closes its connection and reports an abort to nobody.
  answer.body.on('error', () => undefined).destroy();
}

/**
 * Looks the host up once, checks every answer, and dials the very address that was checked. A kept-alive connection
 * stays with that address, so that a name that moves later (rebinding) moves nothing.
 */
function guardedConnector(
  resolve: Resolve,
  isAllowed: (address: string) => boolean,
  ca?: string,
): buildConnector.connector {
  const connect = buildConnector({ timeout: TIMEOUT_MS, ...(ca !== undefined && { ca }) });
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    const dial = async (): Promise<void> => {
      const addresses = await resolvePublicHost(host, resolve, isAllowed);
      const servername = isIP(host) === 0 ? host.replace(/\.$/, '') : '';
      dialInTurn(connect, { ...options, servername }, addresses, callback);
    };
    dial().catch((error: unknown) => callback(error as Error, null));
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

function asFetchFault(error: unknown): unknown {
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

function failed(message: string, cause?: unknown): CheckError {
  return new CheckError('url_fetch_failed', message, { cause });
}

function tooLarge(): CheckError {
  return new CheckError(
    'image_too_large',
    `the image at image_url has more than 20 MB (${MAX_IMAGE_BYTES} bytes)`,
  );
}
