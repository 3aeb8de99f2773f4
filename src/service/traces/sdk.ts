// OpenTelemetry's SDK, which reads most OTEL_* variables itself. Loaded only if tracing is configured.
import {
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  type Context,
  type TextMapGetter,
  type Tracer,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator, ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import { readVersion } from 'telltale-engine/internal/base/package-paths.js';
import type { TracesSetting } from 'telltale-engine/internal/base/settings.js';

/** Time limit for sending the remaining spans at the end, when a process has only seconds to stop. */
const FLUSH_LIMIT_MS = 2000;

const HEADERS: TextMapGetter<IncomingHttpHeaders> = {
  get: (headers, name) => headers[name],
  keys: (headers) => Object.keys(headers),
};

/**
 * Opens a tracer whose spans are sent to `url` in batches in the background. Changes no global state except the SDK's
 * logger.
 */
export function openSdk(
  { url, protocol }: TracesSetting,
  name: string,
  log: Logger,
): {
  readonly startSpan: Tracer['startSpan'];
  /** Returns the context of the caller's trace. An invalid traceparent starts a new trace. Source: W3C Trace Context. */
  readonly readParent: (headers: IncomingHttpHeaders) => Context;
  /** Sends remaining spans within a few seconds. */
  readonly close: () => Promise<void>;
} {
  const warn = (message: string): void => log.warn({ from: 'OpenTelemetry' }, message);
  const hush = (): void => undefined;
  diag.setLogger(
    { error: warn, warn, info: hush, debug: hush, verbose: hush },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const version = readVersion();
  const exporter = protocol === 'http/json' ? new JsonExporter({ url }) : new ProtobufExporter({ url });
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': name, 'service.version': version }))
      // Attributes that the operator set take precedence.
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(logLosses(exporter, log))],
  });
  const propagator = new W3CTraceContextPropagator();
  const tracer = provider.getTracer('telltale', version);
  return {
    startSpan: tracer.startSpan.bind(tracer),
    readParent: (headers) => propagator.extract(ROOT_CONTEXT, headers, HEADERS),
    async close() {
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, FLUSH_LIMIT_MS)));
      await Promise.race([provider.shutdown().catch(hush), limit]);
      clearTimeout(timer);
      diag.disable();
    },
  };
}

/** Returns an exporter that logs when spans can't be sent, and counts the lost spans. */
function logLosses(exporter: SpanExporter, log: Logger): SpanExporter {
  let lost = 0;
  const noteLost = (spans: number, error: (Error & { readonly code?: unknown }) | undefined): void => {
    // Logs only the error's code and message, because a collector's response may be megabytes long.
    const reason = [error?.code, error?.message]
      .filter((part) => part !== undefined && part !== '')
      .join(' ');
    if (lost === 0) log.warn({ reason: reason.slice(0, 200) }, "traces can't be sent");
    lost += spans;
  };
  const noteSent = (): void => {
    if (lost > 0) log.info({ lost }, 'traces are sent again');
    lost = 0;
  };
  return {
    export: (spans, done) =>
      exporter.export(spans, ({ code, error }) => {
        if (code === ExportResultCode.SUCCESS) noteSent();
        else noteLost(spans.length, error);
        // Reports success, because the error is logged already. The SDK would log another line per batch.
        done({ code: ExportResultCode.SUCCESS });
      }),
    shutdown: () => exporter.shutdown(),
  };
}
