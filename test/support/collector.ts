// A trace collector that receives JSON from OTLP exporters over HTTP and stores the spans.
import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** A received span. */
export interface CollectedSpan {
  readonly name: string;
  /** Kind of span: 1 internal, 2 server, 3 client, 5 consumer. */
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  /** Missing for the first span of a trace. */
  readonly parentSpanId?: string;
  readonly startMs: number;
  readonly endMs: number;
  /** Status: 0 unset, 2 error. */
  readonly status: number;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
}

/** A received message. */
interface Sent {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * Reaction to a message: 'take' accepts it, a number is the status of the response, and 'hang' never
 * responds.
 */
type CollectorMood = 'take' | number | 'hang';

/** A running collector. */
export interface Collector {
  readonly url: string;
  readonly sent: readonly Sent[];
  readonly spans: readonly CollectedSpan[];
  mood: CollectorMood;
  /** Waits for `count` spans with the name or property `wanted` and returns them. */
  waitFor(wanted: string | ((span: CollectedSpan) => boolean), count?: number): Promise<CollectedSpan[]>;
  close(): void;
}

interface OtlpValue {
  readonly stringValue?: string;
  readonly intValue?: number;
  readonly boolValue?: boolean;
  readonly arrayValue?: { readonly values: readonly OtlpValue[] };
}
type OtlpAttributes = readonly { readonly key: string; readonly value: OtlpValue }[];
interface OtlpSpan extends Omit<CollectedSpan, 'startMs' | 'endMs' | 'status' | 'facts' | 'resource'> {
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code: number };
  readonly attributes: OtlpAttributes;
}
interface OtlpMessage {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: OtlpAttributes };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** Starts a collector. */
export async function startCollector(): Promise<Collector> {
  const sent: Sent[] = [];
  const spans: CollectedSpan[] = [];
  const server = createServer((req, res) => {
    const parts: Buffer[] = [];
    req.on('data', (part: Buffer) => parts.push(part));
    req.on('end', () => {
      const body = Buffer.concat(parts);
      sent.push({ path: req.url ?? '', headers: req.headers, body });
      if (collector.mood === 'hang') return;
      if (collector.mood !== 'take') {
        res.writeHead(collector.mood).end();
        return;
      }
      if (req.headers['content-type'] === 'application/json') spans.push(...readSpans(body));
      res.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    spans,
    mood: 'take',
    async waitFor(wanted, count = 1) {
      const isWanted = typeof wanted === 'string' ? ({ name }: CollectedSpan) => name === wanted : wanted;
      for (;;) {
        const found = spans.filter(isWanted);
        assert.ok(found.length <= count, `${found.length} spans of ${count}`);
        if (found.length === count) return found;
        await setTimeout(20);
      }
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return collector;
}

function readSpans(body: Buffer): CollectedSpan[] {
  const { resourceSpans } = JSON.parse(body.toString('utf8')) as OtlpMessage;
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ startTimeUnixNano, endTimeUnixNano, status, attributes, ...span }) => ({
        ...span,
        startMs: Number(BigInt(startTimeUnixNano) / 1000n) / 1000,
        endMs: Number(BigInt(endTimeUnixNano) / 1000n) / 1000,
        status: status.code,
        facts: readAttributes(attributes),
        resource: readAttributes(resource.attributes),
      })),
    ),
  );
}

function readAttributes(attributes: OtlpAttributes): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, readValue(value)]));
}

function readValue({ stringValue, intValue, boolValue, arrayValue }: OtlpValue): unknown {
  return arrayValue ? arrayValue.values.map(readValue) : (stringValue ?? intValue ?? boolValue);
}
