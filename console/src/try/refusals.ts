// Consequences of an error: whether the image caused it, whether a retry can help, and whether the check was
// charged.
import { codesAbout, errorFacts } from '../../../src/library/base/error-codes.js';
import type { ApiError } from '../api.js';

/** Returns whether the list of accepted images helps with this error. */
export function isOfImage({ code }: Pick<ApiError, 'code'>): boolean {
  return (codesAbout('picture') as readonly string[]).includes(code);
}

/**
 * Returns whether a retry of the same image can succeed, because neither image nor request caused the error.
 */
export function canHelp({ code }: Pick<ApiError, 'code'>): boolean {
  if (code === 'unreachable' || code === 'url_fetch_failed') return true;
  return ['account', 'service'].includes(errorFacts(code).about);
}

/** Returns what is known about the charge, or null if the service's message is enough. */
export function describeCharge({ code, status }: Pick<ApiError, 'code' | 'status'>): string | null {
  // Without a response, the check may have been made.
  if (code === 'unreachable') return 'It may have been charged; see the page Usage.';
  return status < 500 ? 'Nothing was charged.' : null;
}
