// Opens the storage of images: a folder or an S3 bucket.
import type { StoreSetting } from '../../config.js';
import { createFolderStore } from './folder-store.js';
import type { ImageStore } from './image-store.js';

/** Opens the storage that `setting` names. Loads the S3 library only if it is needed. */
export async function openImageStore(setting: StoreSetting): Promise<ImageStore> {
  if (setting.kind === 'folder') return createFolderStore(setting.path);
  const { createS3Store } = await import('./s3-store.js');
  return createS3Store(setting.bucket, setting.prefix);
}
