// Makes a call of the service: repeats failed attempts after a pause, all with the same Idempotency-Key.
import { TelltaleError } from './errors.js';

/** The parameters and result of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Options of all calls of a client. */
export interface TransportOptions {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly fetch: Fetch;
}

/** A request to the service. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path of the route, with the query. */
  readonly path: string;
  readonly body?: FormData | string;
  readonly signal: AbortSignal | undefined;
  /** Default for a POST: a random key for each call, so that a retry is never charged again. */
  readonly idempotencyKey?: string | undefined;
  readonly format?: Format | undefined;
}

/** Format of a response: one JSON value (default), one JSON value per line, or the bytes of a file. */
type Format = 'json' | 'lines' | 'bytes';

/** A parsed response. */
export interface Answer {
  /** Parsed body, or the bytes of a file. */
  readonly value: unknown;
  readonly headers: Headers;
}

/** Pause before the first retry. Each pause is twice the one before, up to the maximum. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
/** Maximum Retry-After that the client waits for. A longer one ends the call with the error. */
const MAX_RETRY_AFTER_MS = 120_000;

/**
 * HTTP statuses after which the client tries again, in addition to connection errors and time-outs. The
 * Python client has the same.
 */
const RETRIED_STATUSES: readonly number[] = [429, 500, 502, 503, 504];

/** A failed attempt, and whether another attempt can help. */
interface Failure {
  readonly error: TelltaleError;
  readonly mayRetry: boolean;
  readonly retryAfterMs: number;
}

/** Makes a call, with retries. Rejects with TelltaleError, or with the signal's reason. */
export async function call(options: TransportOptions, request: Call): Promise<Answer> {
  const headers = buildHeaders(options, request);
  for (let attempt = 0; ; attempt += 1) {
    const outcome = await attemptOnce(options, request, headers);
    if ('value' in outcome) return outcome;
    const { error, mayRetry, retryAfterMs } = outcome;
    if (!mayRetry || attempt >= options.maxRetries || retryAfterMs > MAX_RETRY_AFTER_MS) throw error;
    // Adds a random part to Retry-After, so that callers refused at the same time do not all return at the
    // same time.
    const backoffMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
    await pause(retryAfterMs + backoffMs * (0.5 + Math.random() / 2), request.signal);
  }
}

function buildHeaders({ apiKey }: TransportOptions, request: Call): Headers {
  const headers = new Headers();
  if (apiKey !== undefined) headers.set('authorization', `Bearer ${apiKey}`);
  if (typeof request.body === 'string') headers.set('content-type', 'application/json');
  if (request.method === 'POST') headers.set('idempotency-key', request.idempotencyKey ?? drawKey());
  return headers;
}

async function attemptOnce(
  { baseUrl, timeoutMs, fetch }: TransportOptions,
  { method, path, body, signal, format = 'json' }: Call,
  headers: Headers,
): Promise<Answer | Failure> {
  signal?.throwIfAborted();
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  const either = signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]);
  let response: Response;
  let bytes: Uint8Array;
  try {
    const init = { method, headers, signal: either, redirect: 'error' as const };
    response = await fetch(`${baseUrl}${path}`, body === undefined ? init : { ...init, body });
    bytes = new Uint8Array(await response.arrayBuffer());
  } catch (cause) {
    signal?.throwIfAborted();
    const error = timeout.signal.aborted
      ? new TelltaleError('timed_out', `The service did not respond within ${timeoutMs} ms.`, { cause })
      : new TelltaleError('connection_failed', "The service can't be reached. Check its address.", { cause });
    return { error, mayRetry: true, retryAfterMs: 0 };
  } finally {
    clearTimeout(timer);
  }
  return readAnswer(response, bytes, format);
}

function readAnswer(response: Response, bytes: Uint8Array, format: Format): Answer | Failure {
  const { status, headers } = response;
  const about = { status, requestId: headers.get('x-request-id') };
  if (response.ok && format === 'bytes') return { value: bytes, headers };
  const text = new TextDecoder().decode(bytes);
  const value = response.ok && format === 'lines' ? parseLines(text) : parse(text);
  if (response.ok && value !== undefined) return { value, headers };
  const reported = (
    value as { error?: { code?: unknown; message?: unknown; param?: unknown } } | null | undefined
  )?.error;
  const param = typeof reported?.param === 'string' ? reported.param : null;
  const error =
    typeof reported?.code === 'string'
      ? new TelltaleError(reported.code, String(reported.message), { ...about, param })
      : new TelltaleError(
          'invalid_response',
          `The response with status ${status} is not from Telltale. Check the address of the service.`,
          about,
        );
  // A used-up quota also has status 429, but it lasts until the next month.
  const mayRetry = RETRIED_STATUSES.includes(status) && error.code !== 'quota_exceeded';
  return { error, mayRetry, retryAfterMs: readRetryAfter(headers.get('retry-after')) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses JSON lines. Returns undefined if a line is not JSON, as at the end of an incomplete response. */
function parseLines(text: string): unknown[] | undefined {
  const lines = text.split('\n').filter((line) => line !== '');
  const values = lines.map(parse);
  return values.includes(undefined) ? undefined : values;
}

/** Returns a Retry-After header (seconds or a date) in milliseconds. Source: RFC 9110, section 10.2.3. */
function readRetryAfter(header: string | null): number {
  if (header === null) return 0;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}

/** Waits. Rejects with the signal's reason when it aborts. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason as Error);
      return;
    }
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** Returns 128 random bits as hex. `crypto.randomUUID` is missing on pages without TLS. */
function drawKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
