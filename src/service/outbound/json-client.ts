// Client for external JSON services, and sending JSON. Connects only to allowed addresses and follows no redirects.
import { Readable } from 'node:stream';
import { ByteCollector } from 'telltale-engine/internal/base/bytes.js';
import { parseBounded } from 'telltale-engine/internal/base/bounded-json.js';
import {
  asFetchFault,
  createGuardedAgent,
  discard,
  failed,
  untilAborted,
  type FetcherOptions,
} from './guarded-agent.js';

/** Maximum bytes of a response. Known services respond with about a kilobyte. */
const MAX_ANSWER_BYTES = 65_536;
const MAX_PARTS = 1000;

interface JsonRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Body in pieces, so that an image need not be copied; default: no body. */
  readonly body?: readonly Uint8Array[];
}

export interface JsonAnswer {
  readonly status: number;
  /** Headers with lowercase names. Headers that occur several times are omitted. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed body, or undefined if it is not JSON. */
  readonly body: unknown;
}

/** Sends requests to JSON services. Created once per process. */
export interface JsonClient {
  /**
   * Sends a request. Rejects with CheckError url_not_public, with url_fetch_failed (also if the response is
   * too large), or with the signal's reason.
   */
  ask(request: JsonRequest, signal: AbortSignal): Promise<JsonAnswer>;
  close(): Promise<void>;
}

export function createJsonClient(options: FetcherOptions = {}): JsonClient {
  const { agent } = createGuardedAgent(options);
  const exchange = async (
    { method, url, headers, body = [] }: JsonRequest,
    signal: AbortSignal,
  ): Promise<JsonAnswer> => {
    const sizeBytes = body.reduce((sum, piece) => sum + piece.byteLength, 0);
    const answer = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers: {
        'user-agent': 'telltale',
        accept: 'application/json',
        'accept-encoding': 'identity',
        ...headers,
        ...(method === 'POST' && { 'content-length': String(sizeBytes) }),
      },
      body: method === 'POST' ? Readable.from(body, { objectMode: false }) : null,
      signal,
    });
    const bytes = new ByteCollector(MAX_ANSWER_BYTES);
    for await (const chunk of answer.body as AsyncIterable<Uint8Array>)
      if (!bytes.append(chunk)) {
        discard(answer);
        throw failed(`the response has more than ${MAX_ANSWER_BYTES} bytes`);
      }
    const entries = Object.entries(answer.headers).filter(([, value]) => typeof value === 'string');
    return {
      status: answer.statusCode,
      headers: Object.fromEntries(entries) as Record<string, string>,
      body: parse(bytes.view()),
    };
  };
  return {
    async ask(request, signal) {
      try {
        return await untilAborted(exchange(request, signal), signal);
      } catch (error) {
        signal.throwIfAborted();
        throw asFetchFault(error);
      }
    },
    close: () => agent.destroy(),
  };
}

function parse(bytes: Uint8Array): unknown {
  try {
    return parseBounded(bytes, MAX_PARTS);
  } catch {
    return undefined;
  }
}

/** Maximum bytes read of a response to reuse its connection. With more, the connection is closed. */
const MAX_READ_BYTES = 4096;

/** Posts to addresses that callers set, such as webhooks. Created once per process. */
export interface Poster {
  /**
   * Posts `body` and returns the status of the response, which may be a redirect. Rejects with CheckError
   * url_not_public, or with url_fetch_failed if no response arrives in time.
   */
  post(url: URL, body: string, headers: Readonly<Record<string, string>>): Promise<number>;
  close(): Promise<void>;
}

/** Creates a poster, which connects only to allowed addresses. */
export function createPoster(options: FetcherOptions = {}): Poster {
  const { agent, timeoutMs } = createGuardedAgent(options);
  return {
    async post(url, body, headers) {
      const timeout = AbortSignal.timeout(timeoutMs);
      try {
        const request = agent.request({
          origin: url.origin,
          path: url.pathname + url.search,
          method: 'POST',
          headers: { 'user-agent': 'telltale', ...headers },
          body,
          signal: timeout,
        });
        const answer = await untilAborted(request, timeout);
        // An error or timeout while reading the body is ignored, because only the status matters.
        await answer.body.dump({ limit: MAX_READ_BYTES, signal: timeout }).catch(() => undefined);
        return answer.statusCode;
      } catch (error) {
        if (timeout.aborted) throw failed(`the address did not respond within ${timeoutMs / 1000} s`, error);
        throw asFetchFault(error);
      }
    },
    close: () => agent.destroy(),
  };
}
