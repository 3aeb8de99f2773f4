// Where the bytes of kept images lie: a folder, or a bucket of S3-compatible storage.
import type { StoreSetting } from '../../config.js';
import { createFolderStore } from './folder-store.js';
import type { ImageStore } from './image-store.js';

/** Opens the store that `setting` names; the S3 library is loaded only where it is used. */
export async function openImageStore(setting: StoreSetting): Promise<ImageStore> {
  if (setting.kind === 'folder') return createFolderStore(setting.path);
  const { createS3Store } = await import('./s3-store.js');
  return createS3Store(setting.bucket, setting.prefix);
}
