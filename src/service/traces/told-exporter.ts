// Sends spans, and tells the log when that begins to fail and when it works again, not each time.
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';

/** An exporter in front of another. Spans that could not be sent are lost, and counted. */
export class ToldExporter implements SpanExporter {
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
      // The log has it: told once more, it would be a line for each batch.
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
    // A collector's own words may be megabytes: its status is enough.
    const reason = [error?.code, error?.message]
      .filter((part) => part !== undefined && part !== '')
      .join(' ');
    if (this.#lost === 0) this.#log.warn({ reason: reason.slice(0, 200) }, 'traces can not be sent');
    this.#lost += spans;
  }
}
