// Parsing settings of addresses, hosts, stores and traces (OpenTelemetry's standard variables).
import { isIP } from 'node:net';
import { resolve } from 'node:path';

/** Parses an address without a path, such as `https://telltale.example`, or returns null. */
export function parseOrigin(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  return isOrigin ? url.origin : null;
}

/** Parses the store of images: a bucket (prefix without slashes at its ends) or a folder, or returns null. */
export function parseStore(
  text: string,
):
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 's3'; readonly bucket: string; readonly prefix: string }
  | null {
  if (!text.includes('://')) return { kind: 'folder', path: resolve(text) };
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(text);
  const [, bucket, prefix = ''] = match ?? [];
  return bucket === undefined ? null : { kind: 's3', bucket, prefix: prefix.replace(/^\/+|\/+$/g, '') };
}

/** Parses the address of an OpenID Connect provider: https, or http on this machine; or returns null. */
export function parseIssuer(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.search !== '' || url.hash !== '' || url.username !== '') return null;
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && isHere) ? text : null;
}

/** Pattern of a host name, or with a leading dot of all names below it. */
const ALLOWED_NAME = /^\.?([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.)*[a-z_]([a-z0-9_-]*[a-z0-9_])?$/;

/** Parses hosts, suffixes and networks of TELLTALE_FETCH_ALLOW, or returns null if one is invalid. */
export function parseAllowed(text: string): readonly string[] | null {
  const entries = text.split(',').map((entry) => entry.trim().toLowerCase());
  const isSound = (entry: string): boolean => {
    const [address = '', bits = '0', ...more] = entry.split('/');
    const family = isIP(address);
    if (family === 0) return ALLOWED_NAME.test(entry);
    return more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
  };
  return entries.every(isSound) && !text.includes('%') ? entries : null;
}

/**
 * Parses contacts of TELLTALE_SECURITY_CONTACT with mailto:, https: or tel: (RFC 9116), or returns null if one is
 * invalid.
 */
export function parseContacts(text: string): readonly string[] | null {
  const contacts = text.split(',').map((contact) => contact.trim());
  const isSound = (contact: string): boolean =>
    /^(mailto:[^\s@]+@[^\s@]+|tel:\+?[\d.-]+|https:\/\/\S+)$/i.test(contact) && URL.canParse(contact);
  return contacts.every(isSound) ? contacts : null;
}

/** Parses the address of TELLTALE_FETCH_PROXY, or returns null. */
export function parseProxy(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') return null;
  return url.pathname === '/' && url.search === '' && url.hash === '' ? url.href : null;
}

/** Protocols of OTLP over HTTP: protobuf or JSON. */
const PROTOCOLS = ['http/protobuf', 'http/json'] as const;

/** Destination of traces. The SDK reads the other OTEL_* variables. */
export interface TracesSetting {
  readonly url: string;
  readonly protocol: (typeof PROTOCOLS)[number];
}

/**
 * Reads OTEL_*. Returns null without an endpoint or if traces are disabled. Empty values count as not set. Calls
 * `refuse` for each invalid value.
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
    // Does not repeat a value that may contain a password.
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

/**
 * Returns the address of traces: as given for the traces endpoint, with a path for the general one; or null if
 * invalid.
 */
function toTracesUrl(text: string, name: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') return null;
  if (name === 'OTEL_EXPORTER_OTLP_ENDPOINT') url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/traces`;
  return url.href;
}
