// The finding for a manifest that could not be read, and Telltale's own codes for the reasons.
import type { Credentials } from '../types.js';

/** Code for a file that took or waited too long. It is not a C2PA code. */
export const READ_TIMED_OUT = 'telltale.readTimedOut';
/** Code for a file above the reader's size limit. It is not a C2PA code. */
export const FILE_TOO_LARGE = 'telltale.fileTooLarge';
/** Code for a reading process that ended before it responded. It is not a C2PA code. */
export const READER_FAILED = 'telltale.readerFailed';

/** Returns the finding `unreadable` with codes for the reason. */
export function describeUnread(...validationCodes: readonly string[]): Credentials {
  return {
    found: true,
    state: 'unreadable',
    signer: null,
    verified: false,
    trustTier: null,
    signedAt: null,
    ai: false,
    aiClaim: null,
    aiCounts: false,
    tool: null,
    claimGenerator: null,
    manifests: [],
    validationCodes,
    digitalSourceTypes: [],
    softBindings: [],
    chain: [],
    generator: null,
  };
}
