// A signed record beside each verdict: a page for people and the same as JSON.
import { writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { makeFolder } from '../../../base/make-folder.js';
import { CheckError } from '../../../base/errors.js';
import { toFilePath } from '../../../base/file-names.js';
import type { FoundPicture } from '../../../calibration/input-files/find-pictures.js';
import type { Recorder } from '../../../record/content/recorder.js';
import type { SignedRecord } from '../../../record/content/schema.js';
import { writeJson } from '../../../record/keys/sign.js';
import { unusedPath } from './unused-path.js';

const ENDING = '.record';

/** Writes both files of a picture's record. */
export type RecordWriter = (picture: FoundPicture, record: SignedRecord) => Promise<void>;

/**
 * A writer of records below `folder`, which is made if it is missing; no two pictures share a file. Rejects, as the
 * writer does, with CheckError `invalid_request` if nothing can be written there.
 */
export async function createRecordWriter(
  recorder: Recorder,
  folder: string,
  pictures: readonly FoundPicture[],
): Promise<RecordWriter> {
  await makeFolder(folder).catch(refuseToWrite);
  const taken = new Set(pictures.map(({ name }) => resolve(name)));
  return async (picture, record) => {
    const base = unusedPath(join(folder, picture.relativePath), ENDING, taken);
    await makeFolder(dirname(base)).catch(refuseToWrite);
    await writeFile(toFilePath(`${base}.json`), writeJson(record)).catch(refuseToWrite);
    await writeFile(toFilePath(`${base}.html`), await recorder.page(record)).catch(refuseToWrite);
  };
}

function refuseToWrite(cause: NodeJS.ErrnoException): never {
  throw new CheckError('invalid_request', `the record can't be written (${cause.code})`, { cause });
}
