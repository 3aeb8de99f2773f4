// The finding for a manifest that could not be read, and the codes of our own that say why.
import type { Credentials } from '../types.js';

/** The reader gave up after its time limit, or the file's turn did not come in time; not a C2PA code. */
export const READ_TIMED_OUT = 'telltale.readTimedOut';
/** The file is over the reader's size limit; not a C2PA code. */
export const FILE_TOO_LARGE = 'telltale.fileTooLarge';
/** The reading process ended before it answered, or could not start; not a C2PA code. */
export const READER_FAILED = 'telltale.readerFailed';

/** An `unreadable` finding with the codes that explain it. */
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
