// Opens the storage of kept images: a folder or a bucket of S3-compatible storage.
import type { StoreSetting } from '../../config.js';
import { createFolderStore } from './folder-store.js';
import type { ImageStore } from './image-store.js';

/** Opens the storage that `setting` names. The S3 library is loaded only if it is needed. */
export async function openImageStore(setting: StoreSetting): Promise<ImageStore> {
  if (setting.kind === 'folder') return createFolderStore(setting.path);
  const { createS3Store } = await import('./s3-store.js');
  return createS3Store(setting.bucket, setting.prefix);
}
