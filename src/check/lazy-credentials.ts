// A credential reader that loads the C2PA library with the first file that carries a manifest: most files carry none.
import type { ManagedCredentialReader } from './credentials.js';
import type { CredentialReader } from './types.js';

/** A reader that can be closed. */
export interface LazyCredentialReader extends CredentialReader {
  /** Ends the reading processes, where there are any; safe to call twice. */
  close(): Promise<void>;
}

/** A reader with the trust lists of `trustDir`, a folder that may be missing. */
export function createLazyCredentialReader(trustDir: string): LazyCredentialReader {
  let reader: Promise<ManagedCredentialReader> | null = null;
  const load = async (): Promise<ManagedCredentialReader> => {
    const { createCredentialReader } = await import('./credentials.js');
    return createCredentialReader({ trustDir });
  };
  return {
    read: async (bytes, image) => (await (reader ??= load())).read(bytes, image),
    close: async () => (await reader)?.close(),
  };
}
