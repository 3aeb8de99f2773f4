// What a trace is made of, for code that need not know whether one is made.
import type { IncomingHttpHeaders } from 'node:http';
import { CheckError } from 'telltale-engine/internal/base/errors.js';

/** What a span tells, by names. Never an image, its name or a key; of an address the host alone. */
export type Facts = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** All that is told of an address: its host, if it is an address at all. */
export function hostOf(address: string): Facts {
  return URL.canParse(address) ? { 'server.address': new URL(address).hostname.slice(0, 255) } : {};
}

/** A piece of work in a trace: a request, or a part of it. Times are milliseconds of `performance.now()`. */
export interface Span {
  /** 32 hexadecimal digits; null if no traces are made. */
  readonly traceId: string | null;
  /** Begins a part of it. */
  begin(name: string, facts?: Facts): Span;
  /** Adds a part that is over. */
  add(name: string, startMs: number, endMs: number): void;
  rename(name: string): void;
  note(facts: Facts): void;
  /** Notes why it failed; `isFault` unless whoever asked is to blame. */
  fail(code: string, isFault: boolean): void;
  /** Ends it; called once. */
  end(): void;
}

/** How a trace begins. */
export interface Beginning {
  /** `server`: a request of somebody, `consumer`: a job of the queue, `client`: a request of ours. */
  readonly kind: 'server' | 'consumer' | 'client';
  /** Of the request: a `traceparent` among them is gone on with. */
  readonly headers?: IncomingHttpHeaders;
  readonly facts: Facts;
}

/** Where traces begin. */
export interface Traces {
  begin(name: string, beginning: Beginning): Span;
  /** Sends what is left, for a few seconds at most. */
  close(): Promise<void>;
}

/** The span of what is not traced. */
export const NO_SPAN: Span = {
  traceId: null,
  begin: () => NO_SPAN,
  add: () => undefined,
  rename: () => undefined,
  note: () => undefined,
  fail: () => undefined,
  end: () => undefined,
};

/** Makes none. */
export const NO_TRACES: Traces = { begin: () => NO_SPAN, close: () => Promise.resolve() };

/** Runs `work` as `span`, which ends with it; if it rejects with CheckError, the span tells the code. */
export async function within<T>(span: Span, work: (span: Span) => Promise<T>): Promise<T> {
  try {
    return await work(span);
  } catch (error) {
    if (error instanceof CheckError) span.fail(error.code, error.status >= 500);
    throw error;
  } finally {
    span.end();
  }
}
