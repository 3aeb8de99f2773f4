// Traces with OpenTelemetry's SDK, which reads most OTEL_* variables itself. Loaded only by open-traces.ts.
import { performance } from 'node:perf_hooks';
import {
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Span as SdkSpan,
  type TextMapGetter,
  type Tracer,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator, ExportResultCode, type ExportResult } from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import type { TracesSetting } from 'telltale-engine/internal/base/settings.js';
import { NO_SPAN, type Beginning, type Facts, type Span, type Traces } from './span.js';

/** Time limit for sending the remaining spans at the end, when a process has only seconds to stop. */
const FLUSH_LIMIT_MS = 2000;

const KINDS = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER, client: SpanKind.CLIENT } as const;

const HEADERS: TextMapGetter<IncomingHttpHeaders> = {
  get: (headers, name) => headers[name],
  keys: (headers) => Object.keys(headers),
};

/**
 * Opens traces that are sent to `url` in batches in the background. Changes no global state except the SDK's
 * logger.
 */
export function openSdk(
  { url, protocol }: TracesSetting,
  { name, version }: { readonly name: string; readonly version: string },
  log: Logger,
): Traces {
  const warn = (message: string): void => log.warn({ from: 'OpenTelemetry' }, message);
  const hush = (): void => undefined;
  diag.setLogger(
    { error: warn, warn, info: hush, debug: hush, verbose: hush },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const exporter = protocol === 'http/json' ? new JsonExporter({ url }) : new ProtobufExporter({ url });
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': name, 'service.version': version }))
      // Attributes that the operator set take precedence.
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new LoggingExporter(exporter, log))],
  });
  const tracer = provider.getTracer('telltale', version);
  const propagator = new W3CTraceContextPropagator();
  return {
    begin(spanName, { kind, headers = {}, facts }: Beginning) {
      // Difference between the wall clock and the monotonic clock. The wall clock may be adjusted while a
      // process runs, so the monotonic clock times the child spans.
      const startTime = Date.now();
      const offsetMs = startTime - performance.now();
      // An invalid traceparent starts a new trace. Source: W3C Trace Context.
      const parent = propagator.extract(ROOT_CONTEXT, headers, HEADERS);
      // Set explicitly, because the library reads the clock again and a child could begin before its parent.
      const options = { kind: KINDS[kind], attributes: toAttributes(facts), startTime };
      const span = tracer.startSpan(spanName, options, parent);
      const { traceId } = span.spanContext();
      return span.isRecording() ? new RecordedSpan(tracer, span, offsetMs) : { ...NO_SPAN, traceId };
    },
    async close() {
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, FLUSH_LIMIT_MS)));
      await Promise.race([provider.shutdown().catch(hush), limit]);
      clearTimeout(timer);
      diag.disable();
    },
  };
}

class RecordedSpan implements Span {
  readonly #tracer: Tracer;
  readonly #span: SdkSpan;
  /** Milliseconds to add to `performance.now()` to get epoch milliseconds. */
  readonly #offsetMs: number;

  constructor(tracer: Tracer, span: SdkSpan, offsetMs: number) {
    this.#tracer = tracer;
    this.#span = span;
    this.#offsetMs = offsetMs;
  }

  get traceId(): string {
    return this.#span.spanContext().traceId;
  }

  begin(name: string, facts: Facts = {}): Span {
    return new RecordedSpan(this.#tracer, this.#start(name, performance.now(), facts), this.#offsetMs);
  }

  add(name: string, startMs: number, endMs: number): void {
    this.#start(name, startMs, {}).end(endMs + this.#offsetMs);
  }

  rename(name: string): void {
    this.#span.updateName(name);
  }

  addFacts(facts: Facts): void {
    this.#span.setAttributes(toAttributes(facts));
  }

  fail(code: string, { isFault }: { readonly isFault: boolean }): void {
    this.#span.setAttribute('error.type', code);
    if (isFault) this.#span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    this.#span.end(performance.now() + this.#offsetMs);
  }

  #start(name: string, startMs: number, facts: Facts): SdkSpan {
    const options = { startTime: startMs + this.#offsetMs, attributes: toAttributes(facts) };
    return this.#tracer.startSpan(name, options, trace.setSpan(ROOT_CONTEXT, this.#span));
  }
}

function toAttributes(facts: Facts): Attributes {
  return facts as Attributes;
}

/** Exporter that logs when spans can't be sent, and counts the lost spans. */
class LoggingExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #log: Logger;
  #lost = 0;

  constructor(exporter: SpanExporter, log: Logger) {
    this.#exporter = exporter;
    this.#log = log;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#exporter.export(spans, ({ code, error }) => {
      if (code === ExportResultCode.SUCCESS) this.#noteSent();
      else this.#noteLost(spans.length, error);
      // Reports success, because the error is logged already. The SDK would log another line per batch.
      done({ code: ExportResultCode.SUCCESS });
    });
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  #noteSent(): void {
    if (this.#lost > 0) this.#log.info({ lost: this.#lost }, 'traces are sent again');
    this.#lost = 0;
  }

  #noteLost(spans: number, error: (Error & { readonly code?: unknown }) | undefined): void {
    // Logs only the error's code and message, because a collector's response may be megabytes long.
    const reason = [error?.code, error?.message]
      .filter((part) => part !== undefined && part !== '')
      .join(' ');
    if (this.#lost === 0) this.#log.warn({ reason: reason.slice(0, 200) }, 'traces can not be sent');
    this.#lost += spans;
  }
}
