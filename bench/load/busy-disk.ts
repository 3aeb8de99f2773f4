// Keeps a disk busy, as a database or a log beside the service does.
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

const CHUNK_BYTES = 16 * 1_048_576;

/** Writes to a file in `folder` and waits for the disk, again and again; gives what stops it. */
export async function keepDiskBusy(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, 'busy.bin');
  const file = await open(path, 'w');
  const chunk = Buffer.alloc(CHUNK_BYTES, 1);
  const end = new AbortController();
  const writing = (async () => {
    while (!end.signal.aborted) {
      await file.write(chunk, 0, chunk.length, 0);
      await file.sync();
    }
  })();
  return async () => {
    end.abort();
    await writing;
    await file.close();
    await rm(path);
  };
}
