// Reading public keys from a file or address that a user names, in PEM or as a JSON Web Key Set.
import { readFile } from 'node:fs/promises';
import { RecordFault } from '../faults.js';
import { readPeriod, publicKeyOf, readPublicPem, type KeySet, type PublicKey } from './keys.js';

/** Maximum bytes of a key set. A set of a thousand keys has 200 kB. */
const MAX_BYTES = 1 << 20;
const FETCH_TIMEOUT_MS = 15_000;
const PEM = /-----BEGIN PUBLIC KEY-----[^-]*-----END PUBLIC KEY-----/g;

/** Returns a key set in the form that the service publishes at /.well-known/telltale-keys.json. */
export function presentKeys(keys: readonly PublicKey[]): KeySet {
  return { keys };
}

/**
 * Loads the keys from the file or address `location`. Rejects with RecordFault if they are missing, too large or
 * invalid, or if the address uses http to another machine.
 */
export async function loadKeySet(location: string): Promise<readonly PublicKey[]> {
  const text = /^https?:\/\//i.test(location) ? await fetchText(location) : await readText(location);
  const keys = /^\s*\{/.test(text) ? parseSet(text) : (text.match(PEM) ?? []).map(readPublicPem);
  if (keys.length === 0) throw new RecordFault(`${location} contains no Ed25519 public key`);
  return keys;
}

function parseSet(text: string): PublicKey[] {
  let set: { keys?: unknown };
  try {
    set = JSON.parse(text) as { keys?: unknown };
  } catch {
    throw new RecordFault('the keys are not valid JSON');
  }
  const keys: unknown[] = Array.isArray(set.keys) ? set.keys : [];
  // Leaves out keys of other types, which a key set may contain, too.
  return keys.flatMap((key) => {
    const { kty, crv, x } = (key ?? {}) as { kty?: unknown; crv?: unknown; x?: unknown };
    return kty === 'OKP' && crv === 'Ed25519' && typeof x === 'string'
      ? [{ ...publicKeyOf(x), ...readPeriod(key as Record<string, unknown>) }]
      : [];
  });
}

async function readText(path: string): Promise<string> {
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw new RecordFault(`the keys in ${path} can't be read: ${(cause as NodeJS.ErrnoException).code}`);
  });
  if (bytes.byteLength > MAX_BYTES) throw new RecordFault(`${path} is too large for keys`);
  return bytes.toString('utf8');
}

/**
 * Fetches keys over https. Allows http only to this machine, because anybody who replaces keys in transit
 * could forge records.
 */
async function fetchText(url: string): Promise<string> {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'http:' && !['127.0.0.1', '[::1]', 'localhost'].includes(hostname))
    throw new RecordFault(`Expected an https address for keys but received ${url}`);
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS), redirect: 'error' });
    if (!response.ok || response.body === null) throw new Error(`status ${response.status}`);
    let text = '';
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (text.length > MAX_BYTES) throw new Error('too large for keys');
    }
    return text;
  } catch (cause) {
    throw new RecordFault(`The keys at ${url} can't be loaded: ${(cause as Error).message}`);
  }
}
