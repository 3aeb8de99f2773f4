// Interface of traces for code that need not know whether traces are enabled.
import type { IncomingHttpHeaders } from 'node:http';
import { CheckError } from 'telltale-engine/internal/base/errors.js';

/** Attributes of a span by name. Never an image, its name or a key; of an address only the host. */
export type Facts = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** Returns the host of an address as an attribute, or nothing for other texts. */
export function hostOf(address: string): Facts {
  return URL.canParse(address) ? { 'server.address': new URL(address).hostname.slice(0, 255) } : {};
}

/** A unit of work in a trace: a request or a part of it. Times are milliseconds of `performance.now()`. */
export interface Span {
  /** Trace identifier of 32 hex digits, or null without traces. */
  readonly traceId: string | null;
  /** Begins a part of the span. */
  begin(name: string, facts?: Facts): Span;
  /** Adds a finished part. */
  add(name: string, startMs: number, endMs: number): void;
  rename(name: string): void;
  note(facts: Facts): void;
  /** Records why the span failed; `isFault` is false for errors of the caller. */
  fail(code: string, isFault: boolean): void;
  /** Ends the span. Called once. */
  end(): void;
}

/** Beginning of a trace. */
export interface Beginning {
  /** Kind: `server` for a received request, `consumer` for a job of the queue, `client` for a sent request. */
  readonly kind: 'server' | 'consumer' | 'client';
  /** Headers of the request; a `traceparent` continues its trace. */
  readonly headers?: IncomingHttpHeaders;
  readonly facts: Facts;
}

/** Source of new traces. */
export interface Traces {
  begin(name: string, beginning: Beginning): Span;
  /** Sends remaining spans within a few seconds. */
  close(): Promise<void>;
}

/** Span without a trace. */
export const NO_SPAN: Span = {
  traceId: null,
  begin: () => NO_SPAN,
  add: () => undefined,
  rename: () => undefined,
  note: () => undefined,
  fail: () => undefined,
  end: () => undefined,
};

/** Source of spans without traces. */
export const NO_TRACES: Traces = { begin: () => NO_SPAN, close: () => Promise.resolve() };

/** Runs `work` as `span` and ends the span. Records the code of a CheckError. */
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
