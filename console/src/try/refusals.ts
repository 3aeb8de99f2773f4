// Facts about an error: whether the image caused it, whether trying again can help, and whether the check was charged.
import { codesAbout, errorFacts } from '../../../src/library/base/error-codes.js';
import type { ApiError } from '../api.js';

/** Returns whether the image caused the error, so that a list of accepted formats helps. */
export function isAboutImage({ code }: Pick<ApiError, 'code'>): boolean {
  return (codesAbout('picture') as readonly string[]).includes(code);
}

/** Returns whether a retry can succeed, because neither the image nor the request caused the error. */
export function canHelp({ code }: Pick<ApiError, 'code'>): boolean {
  if (code === 'unreachable' || code === 'url_fetch_failed') return true;
  return ['account', 'service'].includes(errorFacts(code).about);
}

/** Returns a sentence about the charge; null if the service's message is enough. */
export function describeCharge({ code, status }: Pick<ApiError, 'code' | 'status'>): string | null {
  // The response may have been lost after the service made the check.
  if (code === 'unreachable') return 'It may have been charged; see the page Usage.';
  return status < 500 ? 'Nothing was charged.' : null;
}
