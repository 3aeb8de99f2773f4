// Requests to services at operators' addresses with JSON responses: guarded, limited, without redirects.
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

/** Maximum bytes of a response. Chosen: responses of known services have a kilobyte. */
const MAX_ANSWER_BYTES = 65_536;
const MAX_PARTS = 1000;

/** A request. */
export interface JsonRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Body in pieces, so that an image is not copied; default: none. */
  readonly body?: readonly Uint8Array[];
}

/** A response. */
export interface JsonAnswer {
  readonly status: number;
  /** Headers with lowercase names, without repeated ones. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed body, or undefined if it is not JSON. */
  readonly body: unknown;
}

/** Client of services, created once per process. */
export interface JsonClient {
  /**
   * Sends a request. Rejects with CheckError url_not_public, url_fetch_failed (also for a large response), or with the
   * signal's reason.
   */
  ask(request: JsonRequest, signal: AbortSignal): Promise<JsonAnswer>;
  close(): Promise<void>;
}

/** Creates a client. */
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
