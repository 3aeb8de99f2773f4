// What an error says beside its words: whether the image is to blame, whether it is worth another try, and whether the check was charged.
import { codesAbout, errorFacts } from '../../../src/library/base/error-codes.js';
import type { ApiError } from '../api.js';

/** Whether it helps to be told which images are accepted. */
export function isOfImage({ code }: Pick<ApiError, 'code'>): boolean {
  return (codesAbout('picture') as readonly string[]).includes(code);
}

/** Whether the same image may be checked if it is sent again: neither the image nor the request is to blame. */
export function canHelp({ code }: Pick<ApiError, 'code'>): boolean {
  if (code === 'unreachable' || code === 'url_fetch_failed') return true;
  return ['account', 'service'].includes(errorFacts(code).about);
}

/** What is known of the charge; null where nothing is to be said but the service's own message. */
export function describeCharge({ code, status }: Pick<ApiError, 'code' | 'status'>): string | null {
  // No answer of the service came: the check may have been made all the same.
  if (code === 'unreachable') return 'It may have been charged; see the page Usage.';
  return status < 500 ? 'Nothing was charged.' : null;
}
