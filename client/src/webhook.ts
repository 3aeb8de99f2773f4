// Verification of webhooks. Source: the Standard Webhooks specification.
import { TelltaleError } from './errors.js';
import type { WebhookEvent } from './types.js';

/** Headers of a request, in the forms that common platforms use. */
export type WebhookHeaders =
  Headers | Readonly<Record<string, string | readonly string[] | null | undefined>>;

/** Options of `verifyWebhook`. */
export interface VerifyOptions {
  /** Maximum age of the request in seconds, which prevents replays of old requests; default 300. */
  readonly toleranceS?: number;
}

const DEFAULT_TOLERANCE_S = 300;
const SECRET_PREFIX = 'whsec_';

/**
 * Verifies that `body` is signed with one of the secrets (`whsec_...`; two during a rotation) and returns its
 * event. `body` must be the bytes as received: JSON that was parsed and written again has another signature.
 * An event may be delivered twice with the same `webhook-id` header. Rejects with TelltaleError
 * `invalid_webhook`, or with TypeError for a malformed secret.
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
    throw refused(`its webhook-timestamp is more than ${toleranceS} s from the current time`);
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body);
  const signed = concat(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  const signatures = sent.split(' ').flatMap(readSignature);
  for (const key of keys) if (await isSigned(key, signatures, signed)) return parse(text);
  throw refused('no signature matches the secret');
}

/** Returns whether the signature is correct. The platform's HMAC verification takes constant time. */
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
  throw refused(`the header ${name} is missing`);
}

/** Returns a header. Node converts names to lower case; other platforms keep the sender's spelling. */
function findHeader(headers: Exclude<WebhookHeaders, Headers>, name: string): unknown {
  return Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
}

function readSecret(secret: string): Uint8Array<ArrayBuffer> {
  const key = secret.startsWith(SECRET_PREFIX) ? decodeBase64(secret.slice(SECRET_PREFIX.length)) : null;
  if (key === null || key.byteLength === 0) throw new TypeError('Expected a secret of the form whsec_...');
  return key;
}

/** Decodes a signature `v1,BASE64`. Ignores other versions. */
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
    throw refused('the body is not JSON', cause);
  }
}

function refused(why: string, cause?: unknown): TelltaleError {
  return new TelltaleError('invalid_webhook', `The request is not a webhook of Telltale: ${why}.`, { cause });
}
