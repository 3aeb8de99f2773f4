// The finding for an unreadable manifest, and Telltale's own codes for the reason.
import type { Credentials } from '../types.js';

/** Code of a read that exceeded its time limit or waited too long; not a C2PA code. */
export const READ_TIMED_OUT = 'telltale.readTimedOut';
/** Code of a file above the reader's size limit; not a C2PA code. */
export const FILE_TOO_LARGE = 'telltale.fileTooLarge';
/** Code of a reading process that ended before it responded; not a C2PA code. */
export const READER_FAILED = 'telltale.readerFailed';

/** Returns an `unreadable` finding with its codes. */
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
    generator: null,
  };
}
