// Asks a service at an address of the operator's and reads its JSON: behind the guard of all requests, bounded, no redirect followed.
import { Readable } from 'node:stream';
import { ByteCollector } from 'telltale-engine/internal/base/byte-collector.js';
import { parseBounded } from 'telltale-engine/internal/base/bounded-json.js';
import {
  asFetchFault,
  createGuardedAgent,
  discard,
  failed,
  untilAborted,
  type FetcherOptions,
} from './guarded-agent.js';

/** Chosen: answers of the services known so far have a kilobyte. */
const MAX_ANSWER_BYTES = 65_536;
const MAX_PARTS = 1000;

/** What is asked. */
export interface JsonRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** In pieces, so that an image is not copied; default: none. */
  readonly body?: readonly Uint8Array[];
}

/** What came. */
export interface JsonAnswer {
  readonly status: number;
  /** In small letters; of repeated ones none. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if it is not JSON. */
  readonly body: unknown;
}

/** Asks services; one a process. */
export interface JsonClient {
  /** Rejects with CheckError url_not_public, url_fetch_failed (an answer that is too large, too), or the signal's reason. */
  ask(request: JsonRequest, signal: AbortSignal): Promise<JsonAnswer>;
  close(): Promise<void>;
}

/** Makes a client. */
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
        throw failed(`the answer has more than ${MAX_ANSWER_BYTES} bytes`);
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
