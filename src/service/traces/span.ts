// Interface of traces, for code that works with or without tracing.
import type { IncomingHttpHeaders } from 'node:http';
import { performance } from 'node:perf_hooks';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { checkImage, type CheckDeps } from 'telltale-engine/internal/check/check.js';
import type { CheckInput } from 'telltale-engine/internal/check/types.js';
import type { CheckReport } from 'telltale-engine/internal/check/report.js';

/** Attributes of a span by name. They have no image, image name or key, and only the host of an address. */
export type Facts = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** Returns the host of an address as a span attribute, or no attribute if `address` is not a URL. */
export function hostOf(address: string): Facts {
  return URL.canParse(address) ? { 'server.address': new URL(address).hostname.slice(0, 255) } : {};
}

/** A timed request, or a part of one, in a trace. Times are milliseconds of `performance.now()`. */
export interface Span {
  /** Trace identifier of 32 hex digits, or null without traces. */
  readonly traceId: string | null;
  /** Begins a child span. */
  begin(name: string, facts?: Facts): Span;
  /** Adds a child span that has already finished. */
  add(name: string, startMs: number, endMs: number): void;
  rename(name: string): void;
  addFacts(facts: Facts): void;
  /** Records the error code of failed work. `isFault` is false if the caller caused the error. */
  fail(code: string, options: { readonly isFault: boolean }): void;
  /** Ends the span. Must be called exactly once. */
  end(): void;
}

/** Options of the first span of a trace. */
export interface Beginning {
  /** Kind: `server` for a received request, `consumer` for a job of the queue, `client` for a sent request. */
  readonly kind: 'server' | 'consumer' | 'client';
  /** Headers of the request. A `traceparent` header continues the caller's trace. */
  readonly headers?: IncomingHttpHeaders;
  readonly facts: Facts;
}

/** Creates traces. */
export interface Traces {
  begin(name: string, beginning: Beginning): Span;
  /** Sends remaining spans within a few seconds. */
  close(): Promise<void>;
}

/** Span that records nothing. */
export const NO_SPAN: Span = {
  traceId: null,
  begin: () => NO_SPAN,
  add: () => undefined,
  rename: () => undefined,
  addFacts: () => undefined,
  fail: () => undefined,
  end: () => undefined,
};

/** Traces that record nothing, for processes without tracing. */
export const NO_TRACES: Traces = { begin: () => NO_SPAN, close: () => Promise.resolve() };

/** Runs `work` and then ends `span`. Records the code if `work` throws a CheckError. */
export async function within<T>(span: Span, work: (span: Span) => Promise<T>): Promise<T> {
  try {
    return await work(span);
  } catch (error) {
    if (error instanceof CheckError) span.fail(error.code, { isFault: error.status >= 500 });
    throw error;
  } finally {
    span.end();
  }
}

/** Checks an image as `checkImage` does. Adds the duration of each stage and the verdict to `span`. */
export async function checkTraced(span: Span, deps: CheckDeps, input: CheckInput): Promise<CheckReport> {
  const startMs = performance.now();
  const report = await checkImage(deps, input);
  addStages(span, startMs, report);
  span.addFacts({
    'telltale.format': report.image.format,
    'telltale.profile': report.profile,
    'telltale.is_ai': report.isAi,
    'telltale.fired': report.fired,
    'telltale.views': report.views,
  });
  return report;
}

/**
 * Adds a child span for each stage. Face detection and inference overlap, so both start with the decoded
 * image.
 */
function addStages(span: Span, startMs: number, { timings, fullImageScore }: CheckReport): void {
  const headerMs = startMs + timings.header;
  const askedMs = headerMs + timings.credentials;
  span.add('credentials', headerMs, askedMs);
  // Verified credentials decided the verdict, so the detectors did not run.
  if (fullImageScore === null) return;
  const begunMs = askedMs + timings.queue;
  const decodedMs = begunMs + timings.decode;
  span.add('wait', askedMs, begunMs);
  span.add('decode', begunMs, decodedMs);
  span.add('faces', decodedMs, decodedMs + timings.faces);
  span.add('inference', decodedMs, decodedMs + timings.inference);
}
