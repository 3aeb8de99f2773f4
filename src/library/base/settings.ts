// Parsing settings: addresses, hosts, the storage of images, and OpenTelemetry's variables for traces.
import { isIP } from 'node:net';
import { resolve } from 'node:path';

/** Parses an address without a path, such as `https://telltale.example`, or returns null. */
export function parseOrigin(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  return isOrigin ? url.origin : null;
}

/** Parses where images are stored: a folder or `s3://BUCKET/PREFIX`. Returns null if invalid. */
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

/** Parses the address of an OpenID Connect provider (https, or http on this machine). Null if invalid. */
export function parseIssuer(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.search !== '' || url.hash !== '' || url.username !== '') return null;
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && isHere) ? text : null;
}

/** Pattern of a host name. A name with a leading dot stands for all its subdomains. */
const ALLOWED_NAME = /^\.?([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.)*[a-z_]([a-z0-9_-]*[a-z0-9_])?$/;

/** Parses TELLTALE_FETCH_ALLOW, the private hosts and networks that may be reached. Null if invalid. */
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
 * Parses the addresses of TELLTALE_SECURITY_CONTACT, which begin with mailto:, https: or tel: (RFC 9116).
 * Returns null if one is invalid.
 */
export function parseContacts(text: string): readonly string[] | null {
  const contacts = text.split(',').map((contact) => contact.trim());
  const isSound = (contact: string): boolean =>
    /^(mailto:[^\s@]+@[^\s@]+|tel:\+?[\d.-]+|https:\/\/\S+)$/i.test(contact) && URL.canParse(contact);
  return contacts.every(isSound) ? contacts : null;
}

/** Parses the address of TELLTALE_FETCH_PROXY, or returns null if it is invalid. */
export function parseProxy(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') return null;
  return url.pathname === '/' && url.search === '' && url.hash === '' ? url.href : null;
}

/** Protocols for sending traces (OTLP over HTTP): protobuf or JSON. */
const PROTOCOLS = ['http/protobuf', 'http/json'] as const;

/** Address and protocol for sending traces. OpenTelemetry's library reads the other OTEL_* variables. */
export interface TracesSetting {
  readonly url: string;
  readonly protocol: (typeof PROTOCOLS)[number];
}

/**
 * Reads the OTEL_* variables. Returns null if they set no address or disable traces. Treats empty values as
 * missing. Calls `refuse` for each invalid value.
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
    // Hides a value that may contain a password.
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
 * Returns the address to which traces are sent, or null if it is invalid. An address for all kinds of data
 * gets the path of traces; an address for traces stays as it is.
 */
function toTracesUrl(text: string, name: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') return null;
  if (name === 'OTEL_EXPORTER_OTLP_ENDPOINT') url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/traces`;
  return url.href;
}

/** Access to the provenance services of generator companies. Null disables a service. */
export interface MakerSettings {
  /** API key of OpenAI. */
  readonly openAi: string | null;
  /** Address and key of a resource of Azure AI Content Safety. */
  readonly azure: { readonly url: string; readonly key: string } | null;
}

/** Reader of settings, which takes their names without the prefix TELLTALE_. */
interface NamedSettings {
  text(name: string): string | null;
  parsed<T>(name: string, parse: (text: string) => T | null, expected: string): T | null;
  refuse(fault: string): void;
}

const AZURE_URL = /^https:\/\/[a-z0-9][a-z0-9-]{0,62}\.cognitiveservices\.azure\.com\/?$/;

/**
 * Reads the access to the generator companies' services. Azure needs a key and an address on Azure's own
 * domain.
 */
export function readMakers(settings: NamedSettings): MakerSettings {
  const url = settings.parsed(
    'AZURE_SAFETY_URL',
    (text) => (AZURE_URL.test(text) ? text : null),
    'https://NAME.cognitiveservices.azure.com',
  );
  const key = settings.text('AZURE_SAFETY_KEY');
  if ((settings.text('AZURE_SAFETY_URL') === null) !== (key === null))
    settings.refuse('Expected both of TELLTALE_AZURE_SAFETY_URL and TELLTALE_AZURE_SAFETY_KEY, or none');
  return { openAi: settings.text('OPENAI_KEY'), azure: url !== null && key !== null ? { url, key } : null };
}
