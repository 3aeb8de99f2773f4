// Fetches an image from a public address, with limits on time, size and redirects.
import type { Agent, Dispatcher } from 'undici';
import type { FetchManifest } from 'telltale-engine/internal/check/credentials/find-credentials.js';
import { MAX_IMAGE_BYTES, MAX_IMAGE_MB } from 'telltale-engine/internal/base/limits.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { QUARTER_FOR_OTHERS, Semaphore } from 'telltale-engine/internal/base/concurrency.js';
import { ByteCollector } from 'telltale-engine/internal/base/bytes.js';
import {
  asFetchFault,
  createGuardedAgent,
  discard,
  failed,
  untilAborted,
  type FetcherOptions,
} from './guarded-agent.js';

const MAX_REDIRECTS = 5;
const MAX_URL_LENGTH = 8192;
const MAX_FETCHES = 100;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/**
 * Cause of a failed fetch if the host says when to retry (429 or 503 with Retry-After). Source: RFC 9110,
 * 10.2.3.
 */
export class RetryRequest extends Error {
  readonly waitMs: number;

  constructor(waitMs: number) {
    super(`the host asks to wait ${waitMs} ms`);
    this.waitMs = waitMs;
  }
}

export interface FetchOptions {
  /** Account that the image is fetched for. Limits the account to its share of the concurrent fetches. */
  readonly accountId?: string;
  /** Receives the size of each chunk. Throws if the images of a request are too large in total. */
  readonly countBytes?: (sizeBytes: number) => void;
}

/** Limits for one kind of file: accepted media types, maximum size, and the error for a larger file. */
interface FetchRules {
  readonly accept: string;
  readonly maxBytes: number;
  readonly tooLarge: () => CheckError;
}

const IMAGE: FetchRules = {
  accept: 'image/*',
  maxBytes: MAX_IMAGE_BYTES,
  tooLarge: () =>
    new CheckError(
      'image_too_large',
      `the image at image_url has more than ${MAX_IMAGE_MB} MB (${MAX_IMAGE_BYTES} bytes)`,
    ),
};
/** Maximum bytes of a C2PA manifest store. Many times the usual size, which includes thumbnails. */
const MAX_MANIFEST_BYTES = 1_048_576;
const MANIFEST: FetchRules = {
  accept: 'application/c2pa',
  maxBytes: MAX_MANIFEST_BYTES,
  tooLarge: () => failed(`the manifest has more than ${MAX_MANIFEST_BYTES} bytes`),
};

/** Fetches images and C2PA manifests. One per process, because its limits apply to all requests together. */
export interface ImageFetcher {
  /**
   * Returns the bytes at `url`. Rejects with CheckError invalid_url, url_not_public, url_fetch_failed,
   * image_too_large, with the error of `countBytes`, or with the signal's reason.
   */
  fetch(url: string, signal: AbortSignal, options?: FetchOptions): Promise<Buffer>;
  /**
   * Returns the manifest store at `url`, at most 1 MiB. Rejects with CheckError invalid_url, url_not_public,
   * url_fetch_failed, or with the signal's reason.
   */
  readonly fetchManifest: FetchManifest;
  close(): Promise<void>;
}

/** Creates a fetcher. It ignores proxy environment variables and checks the address of each redirect. */
export function createImageFetcher(options: FetcherOptions = {}): ImageFetcher {
  const { agent, timeoutMs } = createGuardedAgent(options);
  const semaphore = new Semaphore({
    keptForOthers: QUARTER_FOR_OTHERS,
    permits: MAX_FETCHES,
    queueLimit: Infinity,
    refuse: () => failed('the service is stopping'),
  });
  const fetchWithRules = async (
    fetchRules: FetchRules,
    url: string,
    signal: AbortSignal,
    { accountId, countBytes }: FetchOptions,
  ): Promise<Buffer> => {
    const first = parseImageUrl(url);
    const timeout = AbortSignal.timeout(timeoutMs);
    const either = AbortSignal.any([signal, timeout]);
    try {
      const release = await semaphore.enter(either, accountId);
      try {
        return await untilAborted(follow(agent, first, fetchRules, either, countBytes), either);
      } finally {
        release();
      }
    } catch (error) {
      signal.throwIfAborted();
      if (timeout.aborted)
        throw failed(`the address did not deliver the image within ${timeoutMs / 1000} s`, error);
      throw asFetchFault(error);
    }
  };
  return {
    fetch: (url, signal, options = {}) => fetchWithRules(IMAGE, url, signal, options),
    fetchManifest: (url, signal, accountId) =>
      fetchWithRules(MANIFEST, url, signal, accountId === undefined ? {} : { accountId }),
    close: () => agent.destroy(),
  };
}

/** Parses the address of an image without resolving its host name. Throws CheckError invalid_url. */
export function parseImageUrl(text: string): URL {
  const isAbsolute = /^https?:\/\/[^/]/i.test(text) && text.length <= MAX_URL_LENGTH && URL.canParse(text);
  if (/^data:/i.test(text))
    throw new CheckError(
      'invalid_url',
      "image_url is a data: address. Send the part after 'base64,' as image_b64",
    );
  if (!isAbsolute) {
    throw new CheckError(
      'invalid_url',
      `image_url is not an absolute http or https address of at most ${MAX_URL_LENGTH} characters`,
    );
  }
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    throw new CheckError(
      'invalid_url',
      'image_url contains a user name or password. Remove them from the address',
    );
  }
  return url;
}

/**
 * Requires https for addresses from AI assistants, which may follow instructions on web pages. Throws
 * CheckError invalid_url.
 */
export function requireHttps(url: string): void {
  if (!/^https:/i.test(url)) throw new CheckError('invalid_url', 'url is not an https address');
}

async function follow(
  agent: Agent,
  first: URL,
  fetchRules: FetchRules,
  signal: AbortSignal,
  countBytes: FetchOptions['countBytes'],
): Promise<Buffer> {
  let url = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const answer = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'GET',
      // Asks for an uncompressed response, because a few kilobytes of gzip could become gigabytes.
      headers: { accept: fetchRules.accept, 'accept-encoding': 'identity', 'user-agent': 'telltale' },
      signal,
    });
    if (!REDIRECTS.includes(answer.statusCode)) return readBody(answer, fetchRules, countBytes);
    discard(answer);
    url = nextUrl(answer, url);
  }
  throw failed(`the address redirects more than ${MAX_REDIRECTS} times`);
}

function nextUrl(answer: Dispatcher.ResponseData, from: URL): URL {
  const header = answer.headers.location;
  const location = typeof header === 'string' ? escapeBytes(header) : '';
  if (location === '' || !URL.canParse(location, from)) throw failed('the address redirects to nowhere');
  try {
    return parseImageUrl(new URL(location, from).href);
  } catch (cause) {
    throw failed('the address redirects to something other than a plain http or https address', cause);
  }
}

/** Percent-encodes the non-ASCII bytes of a header. undici returns each byte as a character. */
function escapeBytes(header: string): string {
  return header.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
}

function readWait({ statusCode, headers }: Dispatcher.ResponseData): RetryRequest | undefined {
  const text = String(headers['retry-after'] ?? '');
  if ((statusCode !== 429 && statusCode !== 503) || text === '') return undefined;
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(waitMs) ? undefined : new RetryRequest(Math.max(0, waitMs));
}

/**
 * Content codings that change the bytes. Object stores also send other names, such as `base64` or
 * `aws-chunked`, with unchanged bytes; browsers ignore those, too. Source: the IANA registry of content
 * codings.
 */
const COMPRESSIONS: ReadonlySet<string> = new Set([
  'gzip',
  'x-gzip',
  'deflate',
  'br',
  'zstd',
  'compress',
  'x-compress',
  'dcb',
  'dcz',
  'exi',
  'pack200-gzip',
]);

async function readBody(
  answer: Dispatcher.ResponseData,
  { maxBytes, tooLarge }: FetchRules,
  countBytes: FetchOptions['countBytes'],
): Promise<Buffer> {
  try {
    const { statusCode, headers } = answer;
    if (statusCode !== 200)
      throw failed(`the address responded with status ${statusCode} instead of 200`, readWait(answer));
    const codings = [headers['content-encoding'] ?? []].flat().join().split(',');
    const compression = codings
      .map((name) => name.trim().toLowerCase())
      .find((name) => COMPRESSIONS.has(name));
    if (compression !== undefined)
      throw failed(
        `the address sent the image compressed (Content-Encoding: ${compression}); send it uncompressed`,
      );
    const announced = Number(headers['content-length'] ?? 0);
    if (announced > maxBytes) throw tooLarge();
    const bytes = new ByteCollector(maxBytes, announced);
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
