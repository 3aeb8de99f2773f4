// Traces by OpenTelemetry's SDK, which reads the other OTEL_* variables itself. Loaded only by open-traces.ts.
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

/** Time limit for sending remaining spans at the end. Chosen: within the time that a process has to stop. */
const FLUSH_LIMIT_MS = 2000;

const KINDS = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER, client: SpanKind.CLIENT } as const;

const HEADERS: TextMapGetter<IncomingHttpHeaders> = {
  get: (headers, name) => headers[name],
  keys: (headers) => Object.keys(headers),
};

/**
 * Opens traces that are sent to `setting.url` in batches in the background. Sets nothing global except the destination
 * of the SDK's warnings.
 */
export function openSdk(
  { url, protocol }: TracesSetting,
  { name, version }: { readonly name: string; readonly version: string },
  log: Logger,
): Traces {
  const tell = (message: string): void => log.warn({ from: 'OpenTelemetry' }, message);
  const hush = (): void => undefined;
  diag.setLogger(
    { error: tell, warn: tell, info: hush, debug: hush, verbose: hush },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const exporter = protocol === 'http/json' ? new JsonExporter({ url }) : new ProtobufExporter({ url });
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': name, 'service.version': version }))
      // The operator's attributes take precedence.
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new ToldExporter(exporter, log))],
  });
  const tracer = provider.getTracer('telltale', version);
  const propagator = new W3CTraceContextPropagator();
  return {
    begin(spanName, { kind, headers = {}, facts }: Beginning) {
      // Difference of wall clock and monotonic clock: the former may be adjusted while a process runs, the latter
      // times the parts.
      const startTime = Date.now();
      const offsetMs = startTime - performance.now();
      // An invalid traceparent starts a new trace. Source: W3C Trace Context.
      const parent = propagator.extract(ROOT_CONTEXT, headers, HEADERS);
      // Given explicitly, because the library would read the clock again, and a part could begin before the whole.
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
  /** Converts `performance.now()` to epoch milliseconds. */
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

  note(facts: Facts): void {
    this.#span.setAttributes(toAttributes(facts));
  }

  fail(code: string, isFault: boolean): void {
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

/** An exporter that counts the spans that another exporter could not send. */
class ToldExporter implements SpanExporter {
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
      // The error is logged already; reporting it again would log a line per batch.
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
    // Only code and status, because a collector's message may be megabytes long.
    const reason = [error?.code, error?.message]
      .filter((part) => part !== undefined && part !== '')
      .join(' ');
    if (this.#lost === 0) this.#log.warn({ reason: reason.slice(0, 200) }, 'traces can not be sent');
    this.#lost += spans;
  }
}
