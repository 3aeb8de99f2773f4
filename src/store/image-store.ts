// Where the bytes of kept images lie: a folder, or a bucket of S3-compatible storage.
import type { StoreSetting } from '../config.js';
import { createFolderStore } from './folder-store.js';

/** Keeps bytes under keys of the form `acc_.../img_...`, made by this program alone. */
export interface ImageStore {
  /** Resolves once the bytes are durable. */
  put(key: string, bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  /** The bytes; null where there are none. */
  get(key: string): Promise<Buffer | null>;
  /** Deletes the bytes; where there are none it does nothing. */
  delete(key: string): Promise<void>;
  close(): void;
}

/** Opens the store that `setting` names; the S3 library is loaded only where it is used. */
export async function openImageStore(setting: StoreSetting): Promise<ImageStore> {
  if (setting.kind === 'folder') return createFolderStore(setting.path);
  const { createS3Store } = await import('./s3-store.js');
  return createS3Store(setting.bucket, setting.prefix);
}
