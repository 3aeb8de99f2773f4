// Tells a webhook of the service from anybody else's request, as the Standard Webhooks specification has it.
import { TelltaleError } from './errors.js';
import type { WebhookEvent } from './types.js';

/** What platforms hand the headers of a request over as. */
export type WebhookHeaders =
  Headers | Readonly<Record<string, string | readonly string[] | null | undefined>>;

/** What `verifyWebhook` takes beside the request. */
export interface VerifyOptions {
  /** How far the time of the request may be off, in seconds; default 300. A request that was sent long ago is a replay. */
  readonly toleranceS?: number;
}

const DEFAULT_TOLERANCE_S = 300;
const SECRET_PREFIX = 'whsec_';

/**
 * The event of a webhook, if `body` has a signature by one of the secrets (`whsec_...`; two while one replaces the
 * other). `body` must be the bytes as they came: text that was parsed and written anew has another signature. Rejects
 * with TelltaleError `invalid_webhook`, with TypeError for a secret that is none. An event may come twice: its
 * `webhook-id` header is the same then.
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: string | ArrayBuffer | Uint8Array,
  secret: string | readonly string[],
  { toleranceS = DEFAULT_TOLERANCE_S }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const keys = (typeof secret === 'string' ? [secret] : secret).map(readSecret);
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const sent = headerOf(headers, 'webhook-signature');
  const ageS = /^\d{1,12}$/.test(timestamp) ? Date.now() / 1000 - Number(timestamp) : NaN;
  if (!(Math.abs(ageS) <= toleranceS))
    throw refused(`it says that it was sent at another time than within ${toleranceS} s of now`);
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body);
  const signed = concat(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  const signatures = sent.split(' ').flatMap(readSignature);
  for (const key of keys) if (await isSigned(key, signatures, signed)) return parse(text);
  throw refused('none of its signatures is by the secret');
}

/** Compares in constant time, as the platform's own verification does. */
async function isSigned(
  key: Uint8Array<ArrayBuffer>,
  signatures: readonly Uint8Array<ArrayBuffer>[],
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['verify']);
  for (const signature of signatures)
    if (await crypto.subtle.verify('HMAC', imported, signature, signed)) return true;
  return false;
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : findHeader(headers, name);
  if (typeof value === 'string' && value !== '') return value;
  throw refused(`it has no header ${name}`);
}

/** Node gives names in lower case; other platforms as they were sent. */
function findHeader(headers: Exclude<WebhookHeaders, Headers>, name: string): unknown {
  return Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
}

function readSecret(secret: string): Uint8Array<ArrayBuffer> {
  const key = secret.startsWith(SECRET_PREFIX) ? decodeBase64(secret.slice(SECRET_PREFIX.length)) : null;
  if (key === null || key.byteLength === 0) throw new TypeError('Expected a secret of the form whsec_...');
  return key;
}

/** `v1,BASE64`; other versions are for others. */
function readSignature(text: string): Uint8Array<ArrayBuffer>[] {
  const bytes = text.startsWith('v1,') ? decodeBase64(text.slice('v1,'.length)) : null;
  return bytes === null ? [] : [bytes];
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}

function concat(head: Uint8Array, rest: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(head.byteLength + rest.byteLength);
  all.set(head);
  all.set(rest, head.byteLength);
  return all;
}

function parse(text: string): WebhookEvent {
  try {
    return JSON.parse(text) as WebhookEvent;
  } catch (cause) {
    throw refused('its body is not JSON', cause);
  }
}

function refused(why: string, cause?: unknown): TelltaleError {
  return new TelltaleError('invalid_webhook', `this is no webhook of the service: ${why}`, { cause });
}
