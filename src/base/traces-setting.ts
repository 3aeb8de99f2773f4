// Whether traces are made, and where they are sent: what the standard variables of OpenTelemetry say of it.

/** OTLP over HTTP, as protobuf or as JSON. */
const PROTOCOLS = ['http/protobuf', 'http/json'] as const;

/** Where traces are sent. What else OTEL_* says, its SDK reads. */
export interface TracesSetting {
  readonly url: string;
  readonly protocol: (typeof PROTOCOLS)[number];
}

/**
 * Reads OTEL_*; null if no endpoint is named, or traces are switched off. An empty value counts as not set. Tells
 * `refuse` each value that can't be followed.
 */
export function readTracesSetting(
  environment: Readonly<Record<string, string | undefined>>,
  refuse: (fault: string) => void,
): TracesSetting | null {
  const find = (...names: readonly string[]): readonly [string, string] | null => {
    for (const name of names) {
      const value = environment[name]?.trim();
      if (value) return [name, value];
    }
    return null;
  };
  const endpoint = find('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT');
  const [, exporter] = find('OTEL_TRACES_EXPORTER') ?? ['', 'otlp'];
  const isOff = find('OTEL_SDK_DISABLED')?.[1].toLowerCase() === 'true' || exporter === 'none';
  if (endpoint === null || isOff) return null;
  if (exporter !== 'otlp')
    refuse(`Expected otlp or none for OTEL_TRACES_EXPORTER but received '${exporter}'`);
  const [endpointName, address] = endpoint;
  const url = toTracesUrl(address, endpointName);
  if (url === null) {
    // It is not repeated if it may hold a password.
    const received = address.includes('@') ? 'another address' : `'${address}'`;
    refuse(`Expected http(s)://HOST:PORT for ${endpointName} but received ${received}`);
  }
  const named = find('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL');
  const [protocolName, text] = named ?? ['', 'http/protobuf'];
  const protocol = PROTOCOLS.find((one) => one === text);
  if (protocol === undefined)
    refuse(`Expected one of ${PROTOCOLS.join(', ')} for ${protocolName} but received '${text}'`);
  return url !== null && protocol !== undefined ? { url, protocol } : null;
}

/** The endpoint of traces is an address as it stands; below that of all signals they have a path. Null if it is none. */
function toTracesUrl(text: string, name: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') return null;
  if (name === 'OTEL_EXPORTER_OTLP_ENDPOINT') url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/traces`;
  return url.href;
}
