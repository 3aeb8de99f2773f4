// What settings of addresses, hosts, stores and traces (OpenTelemetry's standard variables) may say.
import { isIP } from 'node:net';
import { resolve } from 'node:path';

/** An address without a path, as `https://telltale.example`; null if it is none. */
export function parseOrigin(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  return isOrigin ? url.origin : null;
}

/** Where images are stored: a bucket (its prefix without slashes at its ends) or a folder; null if it is neither. */
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

/** Address of an OpenID Connect provider: https, or http on this machine; null if it is none. */
export function parseIssuer(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.search !== '' || url.hash !== '' || url.username !== '') return null;
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && isHere) ? text : null;
}

/** A name, or with a dot before it every name below. */
const ALLOWED_NAME = /^\.?([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.)*[a-z_]([a-z0-9_-]*[a-z0-9_])?$/;

/** Hosts, suffixes and networks of TELLTALE_FETCH_ALLOW; null if one is none of them. */
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

/** Contacts of TELLTALE_SECURITY_CONTACT as RFC 9116 has them, with mailto:, https: or tel:; null if one is none of them. */
export function parseContacts(text: string): readonly string[] | null {
  const contacts = text.split(',').map((contact) => contact.trim());
  const isSound = (contact: string): boolean =>
    /^(mailto:[^\s@]+@[^\s@]+|tel:\+?[\d.-]+|https:\/\/\S+)$/i.test(contact) && URL.canParse(contact);
  return contacts.every(isSound) ? contacts : null;
}

/** The address of TELLTALE_FETCH_PROXY; null if it is none. */
export function parseProxy(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') return null;
  return url.pathname === '/' && url.search === '' && url.hash === '' ? url.href : null;
}

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
