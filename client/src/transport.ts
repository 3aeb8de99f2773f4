// One call: attempts with a time limit each, pauses between them, and the same Idempotency-Key for all.
import { TelltaleError } from './errors.js';

/** The part of `fetch` that is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** How calls are made. */
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
  /** With its query. */
  readonly path: string;
  readonly body?: FormData | string;
  readonly signal: AbortSignal | undefined;
  /** Default: a new one for each POST, so that a repetition is never charged twice. */
  readonly idempotencyKey?: string | undefined;
  /** What the answer's body is: one JSON value (the default), or one a line. */
  readonly format?: 'json' | 'lines';
}

/** What came back. */
export interface Answer {
  /** The parsed body. */
  readonly value: unknown;
  readonly headers: Headers;
}

/** The first pause; each next one is twice as long, up to the longest. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** A service that asks for a longer pause than this is not waited for. */
const MOST_RETRY_AFTER_MS = 120_000;

/** A failed attempt, and whether another makes sense. */
interface Failure {
  readonly error: TelltaleError;
  readonly mayRetry: boolean;
  readonly retryAfterMs: number;
}

/** Makes the call. Rejects with TelltaleError, or with the signal's reason. */
export async function call(options: TransportOptions, request: Call): Promise<Answer> {
  const headers = buildHeaders(options, request);
  for (let attempt = 0; ; attempt += 1) {
    const outcome = await attemptOnce(options, request, headers);
    if ('value' in outcome) return outcome;
    const { error, mayRetry, retryAfterMs } = outcome;
    if (!mayRetry || attempt >= options.maxRetries || retryAfterMs > MOST_RETRY_AFTER_MS) throw error;
    // The jitter comes on top of what the service asked for: callers that were refused together come back apart.
    const backoffMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
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
  let text: string;
  try {
    const init = { method, headers, signal: either, redirect: 'error' as const };
    response = await fetch(`${baseUrl}${path}`, body === undefined ? init : { ...init, body });
    text = await response.text();
  } catch (cause) {
    signal?.throwIfAborted();
    const error = timeout.signal.aborted
      ? new TelltaleError('timed_out', `no answer within ${timeoutMs} ms`, { cause })
      : new TelltaleError('connection_failed', 'the service could not be reached', { cause });
    return { error, mayRetry: true, retryAfterMs: 0 };
  } finally {
    clearTimeout(timer);
  }
  return readAnswer(response, text, format);
}

function readAnswer(response: Response, text: string, format: 'json' | 'lines'): Answer | Failure {
  const { status, headers } = response;
  const about = { status, requestId: headers.get('x-request-id') };
  const value = response.ok && format === 'lines' ? parseLines(text) : parse(text);
  if (response.ok && value !== undefined) return { value, headers };
  const reported = (
    value as { error?: { code?: unknown; message?: unknown; param?: unknown } } | null | undefined
  )?.error;
  const param = typeof reported?.param === 'string' ? reported.param : null;
  const error =
    typeof reported?.code === 'string'
      ? new TelltaleError(reported.code, String(reported.message), { ...about, param })
      : new TelltaleError('invalid_response', `status ${status}, and no answer of the service`, about);
  // A used-up quota is a 429, too, and no pause of ours helps.
  const mayRetry = (status === 429 && error.code !== 'quota_exceeded') || status === 503;
  return { error, mayRetry, retryAfterMs: readRetryAfter(headers.get('retry-after')) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Undefined if a line is no JSON: an answer that was cut off is none. */
function parseLines(text: string): unknown[] | undefined {
  const lines = text.split('\n').filter((line) => line !== '');
  const values = lines.map(parse);
  return values.includes(undefined) ? undefined : values;
}

/** Seconds, or a date (RFC 9110, section 10.2.3). */
function readRetryAfter(header: string | null): number {
  if (header === null) return 0;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}

/** Waits; rejects with the signal's reason once it aborts. */
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

/** 128 bits; `crypto.randomUUID` is missing on pages that are not served over TLS. */
function drawKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
