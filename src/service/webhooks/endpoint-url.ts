// Which addresses may be told: https alone, and none that is seen at once to lead inside.
import { isIP } from 'node:net';
import { CheckError } from '../../base/errors.js';
import type { FetchAllow } from '../outbound/fetch-allow.js';
import { isInsideName, isPublicAddress } from '../outbound/public-address.js';

const MAX_URL_LENGTH = 2048;

/**
 * The address in its one form; `allow` is what may be reached beyond public addresses. Names are looked up and judged when a webhook is sent, each time. Errors:
 * invalid_url, if it is no https address or holds a user name; url_not_public.
 */
export function readEndpointUrl(text: string, allow: FetchAllow | null): URL {
  const isAbsolute = /^https:\/\/[^/]/i.test(text) && text.length <= MAX_URL_LENGTH && URL.canParse(text);
  if (!isAbsolute)
    throw new CheckError(
      'invalid_url',
      `Expected an absolute https address of at most ${MAX_URL_LENGTH} characters`,
    );
  const url = new URL(text);
  if (url.username !== '' || url.password !== '')
    throw new CheckError('invalid_url', 'Expected an address without a user name or password');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isInside = isIP(host) === 0 ? isInsideName(host) : !isPublicAddress(host);
  const isAllowed = isIP(host) === 0 ? allow?.hasName(host) || allow?.hasNetworks : allow?.hasAddress(host);
  if (isInside && isAllowed !== true)
    throw new CheckError('url_not_public', 'Expected the address of a public host');
  url.hash = '';
  return url;
}
