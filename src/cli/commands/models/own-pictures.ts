// What `models calibrate` and `models adapt` share: the pictures that are named, and a file that is written.
import { randomBytes } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OWN_NAME } from '../../../calibration/adaptation/bands-file.js';
import { MOST_PICTURES } from '../../../calibration/adaptation/share-out.js';
import { seePictures, type SeenPictures } from '../../../calibration/adaptation/see-pictures.js';
import type { Engine } from '../../../engine/types.js';
import { toFilePath } from '../../../base/file-names.js';
import { CheckError } from '../../../base/errors.js';
import type { LabelledPicture } from '../../../calibration/evaluation/dataset.js';
import { ProgressBar } from '../../terminal/progress-bar.js';
import type { Terminal } from '../../terminal/terminal.js';
import { visibleText } from '../../../base/visible-text.js';
import { UsageError } from '../command.js';

/** `--name`, which becomes part of versions. Throws UsageError. */
export function readName(name: string): string {
  if (OWN_NAME.test(name)) return name;
  throw new UsageError(
    `Expected 1 to 32 letters, digits and dashes for --name but received '${visibleText(name)}'`,
  );
}

/**
 * Inspects all of them, with a progress bar; `correction` as of `InspectOptions`. Rejects with CheckError
 * `invalid_request` if they are too many.
 */
export async function seeAll(
  pictures: readonly LabelledPicture[],
  engine: Engine,
  { err, signal }: Terminal,
  correction?: Float64Array,
): Promise<SeenPictures> {
  if (pictures.length > MOST_PICTURES)
    throw new CheckError(
      'invalid_request',
      `${pictures.length} pictures are named; at most ${MOST_PICTURES} are taken, and a random sample tells as much`,
    );
  const progress = new ProgressBar(err, pictures.length);
  const found = await seePictures(pictures, {
    engine,
    limits: { signal, correction },
    onPicture: () => progress.step(),
  });
  await progress.clear();
  return found;
}

/** Writes a file that is there whole or not at all. Rejects with CheckError `invalid_request` if it can't be. */
export async function writeWhole(folder: string, name: string, content: string): Promise<void> {
  const draft = join(folder, `.${name}.${randomBytes(4).toString('hex')}`);
  try {
    await mkdir(toFilePath(folder), { recursive: true });
    await writeFile(toFilePath(draft), content);
    await rename(toFilePath(draft), toFilePath(join(folder, name)));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new CheckError('invalid_request', `the folder ${folder} can't be written (${code})`, { cause });
  }
}
