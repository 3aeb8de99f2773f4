// Traces of requests and background work with OpenTelemetry's API, which records nothing unless the SDK is open.
import type { IncomingHttpHeaders } from 'node:http';
import { performance } from 'node:perf_hooks';
import {
  INVALID_SPAN_CONTEXT,
  isValidTraceId,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Span as ApiSpan,
  type Tracer,
} from '@opentelemetry/api';
import type { Logger } from 'pino';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { TracesSetting } from 'telltale-engine/internal/base/settings.js';
import { checkImage, type CheckDeps } from 'telltale-engine/internal/check/check.js';
import type { CheckInput } from 'telltale-engine/internal/check/types.js';
import type { CheckReport } from 'telltale-engine/internal/check/report.js';
import type { openSdk } from './sdk.js';

/** Returns the host of an address as a span attribute, or no attribute if `address` is not a URL. */
export function hostOf(address: string): Attributes {
  return URL.canParse(address) ? { 'server.address': new URL(address).hostname.slice(0, 255) } : {};
}

/** Creates traces. */
export class Traces {
  constructor(readonly sdk: ReturnType<typeof openSdk>) {}

  /**
   * Begins a trace with a span for a received request (SERVER), a job of the queue (CONSUMER) or a sent request
   * (CLIENT). A `traceparent` header continues the caller's trace. Attributes have no image, image name or key, and only
   * the host of an address.
   */
  begin(
    name: string,
    kind: keyof typeof SpanKind,
    attributes: Attributes,
    headers: IncomingHttpHeaders = {},
  ): Span {
    // Set explicitly, because the library reads the clock again and a child could begin before its parent.
    const startTime = Date.now();
    const options = { kind: SpanKind[kind], attributes, startTime };
    const { startSpan, readParent } = this.sdk;
    const span = startSpan(name, options, readParent(headers));
    return new Span(startSpan, span, startTime - performance.now());
  }
}

/** A timed request, or a part of one, in a trace. Times are milliseconds of `performance.now()`. */
export class Span {
  readonly #startSpan: Tracer['startSpan'];
  readonly #span: ApiSpan;
  /**
   * Milliseconds to add to `performance.now()` to get epoch milliseconds. The wall clock may be adjusted while a process
   * runs, so the monotonic clock times the child spans.
   */
  readonly #offsetMs: number;

  constructor(startSpan: Tracer['startSpan'], span: ApiSpan, offsetMs: number) {
    this.#startSpan = startSpan;
    this.#span = span;
    this.#offsetMs = offsetMs;
  }

  /** Trace identifier of 32 hex digits, or null without traces. */
  get traceId(): string | null {
    const { traceId } = this.#span.spanContext();
    return isValidTraceId(traceId) ? traceId : null;
  }

  /** Begins a child span. */
  begin(name: string, attributes: Attributes = {}, startMs = performance.now()): Span {
    const options = { startTime: startMs + this.#offsetMs, attributes };
    const child = this.#startSpan(name, options, trace.setSpan(ROOT_CONTEXT, this.#span));
    return new Span(this.#startSpan, child, this.#offsetMs);
  }

  rename(name: string): void {
    this.#span.updateName(name);
  }

  addFacts(attributes: Attributes): void {
    this.#span.setAttributes(attributes);
  }

  /** Records the error code of failed work. `isFault` is false if the caller caused the error. */
  fail(code: string, { isFault }: { readonly isFault: boolean }): void {
    this.#span.setAttribute('error.type', code);
    if (isFault) this.#span.setStatus({ code: SpanStatusCode.ERROR });
  }

  /** Ends the span. Must be called exactly once. */
  end(endMs = performance.now()): void {
    this.#span.end(endMs + this.#offsetMs);
  }
}

/** Traces that record nothing, for processes without tracing. Not the API's tracer, which a preloaded SDK may replace. */
export const NO_TRACES = new Traces({
  startSpan: () => trace.wrapSpanContext(INVALID_SPAN_CONTEXT),
  readParent: () => ROOT_CONTEXT,
  close: () => Promise.resolve(),
});

/** Span that records nothing. */
export const NO_SPAN = NO_TRACES.begin('', 'SERVER', {});

/** Opens the traces of this process. OTEL_SERVICE_NAME overrides `name`. Loads the SDK unless `setting` is null. */
export async function openTraces(
  setting: TracesSetting | null,
  name: 'telltale' | 'telltale-worker',
  log: Logger,
): Promise<Traces> {
  if (setting === null) return NO_TRACES;
  const sdk = await import('./sdk.js');
  return new Traces(sdk.openSdk(setting, name, log));
}

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
    'telltale.fired': [...report.fired],
    'telltale.views': report.views,
  });
  return report;
}

/**
 * Adds a child span for each stage. Face detection and inference overlap, so both start with the decoded
 * image.
 */
function addStages(span: Span, startMs: number, { timings, fullImageScore }: CheckReport): void {
  const add = (name: string, fromMs: number, toMs: number): void => span.begin(name, {}, fromMs).end(toMs);
  const headerMs = startMs + timings.header;
  const askedMs = headerMs + timings.credentials;
  add('credentials', headerMs, askedMs);
  // Verified credentials decided the verdict, so the detectors did not run.
  if (fullImageScore === null) return;
  const begunMs = askedMs + timings.queue;
  const decodedMs = begunMs + timings.decode;
  add('wait', askedMs, begunMs);
  add('decode', begunMs, decodedMs);
  add('faces', decodedMs, decodedMs + timings.faces);
  add('inference', decodedMs, decodedMs + timings.inference);
}
