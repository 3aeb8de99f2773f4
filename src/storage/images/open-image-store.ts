// Opens the storage of images: a folder or an S3 bucket.
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { StoreSetting } from '../../config.js';
import type { ImageStore } from './image-store.js';
import { makeFolder } from 'telltale-engine/internal/base/files.js';

/** Opens the storage that `setting` names. Loads the S3 library only if it is needed. */
export async function openImageStore(setting: StoreSetting): Promise<ImageStore> {
  if (setting.kind === 'folder') return createFolderStore(setting.path);
  const { createS3Store } = await import('./s3-store.js');
  return createS3Store(setting.bucket, setting.prefix);
}

/** Creates an image storage in `folder`. The folder itself is created for the first image. */
export function createFolderStore(folder: string): ImageStore {
  const pathOf = (key: string): string => join(folder, key);
  return {
    async put(key, bytes, signal) {
      const path = pathOf(key);
      await makeFolder(dirname(path), 0o700);
      const partPath = `${path}.part`;
      try {
        await writeDurably(partPath, bytes, signal);
        await rename(partPath, path);
      } catch (error) {
        await rm(partPath, { force: true });
        throw error;
      }
      await syncFolder(dirname(path));
    },
    async open(key) {
      try {
        return (await open(pathOf(key), 'r')).createReadStream();
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    delete: (key) => rm(pathOf(key), { force: true }),
    close: () => undefined,
  };
}

async function writeDurably(path: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(bytes, { signal });
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Flushes a folder to the disk. Otherwise a crash of the machine could lose the name of a new file. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
