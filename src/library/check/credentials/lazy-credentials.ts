// A credential reader that loads the C2PA library with the first file that carries a manifest: most files carry none.
import type { CredentialReaderOptions, ManagedCredentialReader } from './credentials.js';
import type { TrustList } from './trust.js';
import type { CredentialReader } from '../types.js';

/** A reader that knows its trust lists and can be closed. */
export interface LazyCredentialReader extends CredentialReader {
  /** The trust lists in force. Rejects with the file system's error if they can't be read. */
  trust(): Promise<TrustList>;
  /** Ends the reading processes, if there are any; safe to call twice. */
  close(): Promise<void>;
}

/** A reader with the trust lists of `options`, whose folder may be missing. */
export function createLazyCredentialReader(
  options: Pick<CredentialReaderOptions, 'trustDir' | 'shippedTrustDir'>,
): LazyCredentialReader {
  let reader: Promise<ManagedCredentialReader> | null = null;
  const load = async (): Promise<ManagedCredentialReader> => {
    const { createCredentialReader } = await import('./credentials.js');
    return createCredentialReader(options);
  };
  const open = (): Promise<ManagedCredentialReader> =>
    (reader ??= load().catch((error: unknown) => {
      // Forgotten, so that the next file tries again: what was missing may be there by then.
      reader = null;
      throw error;
    }));
  return {
    read: async (bytes, image, options) => (await open()).read(bytes, image, options),
    trust: async () => (await open()).trust(),
    // A part that did not load has nothing to end, and its caller has been told.
    close: async () => (await reader?.catch(() => null))?.close(),
  };
}
