// A PNG beside each verdict: the picture with face boxes and the heat map drawn on it.
import { writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { makeFolder } from '../../../base/make-folder.js';
import type { CheckReport } from '../../../check/types.js';
import { CheckError } from '../../../base/errors.js';
import { toFilePath } from '../../../base/file-names.js';
import type { Engine } from '../../../engine/types.js';
import { RESULT_ENDING, type FoundPicture } from '../../../calibration/input-files/find-pictures.js';
import { unusedPath } from './unused-path.js';
import { drawVerdict, type Drawn } from './drawing.js';

/** Pixels of the longer side. Chosen: fills a screen, stays small as a file. */
const LONG_SIDE_PX = 1280;

/** Draws and writes `DIR/<path below the named folder>.annotated.png`; resolves to the file's path. */
export type Annotator = (picture: FoundPicture, bytes: Uint8Array, report: CheckReport) => Promise<string>;

/**
 * An annotator that writes below `folder`, which is made if it is missing. No two pictures share a file, and none of
 * the `pictures` that are checked is written over. Rejects, as the annotator does, with CheckError `invalid_request`
 * if nothing can be written there.
 */
export async function createAnnotator(
  engine: Engine,
  folder: string,
  pictures: readonly FoundPicture[],
): Promise<Annotator> {
  await makeFolder(folder).catch(refuseToWrite);
  const taken = new Set(pictures.map(({ name }) => resolve(name)));
  return async (picture, bytes, report) => {
    const path = unusedPath(join(folder, picture.relativePath), RESULT_ENDING, taken);
    const png = await drawVerdict(engine, bytes, drawnOf(report), LONG_SIDE_PX);
    await makeFolder(dirname(path)).catch(refuseToWrite);
    await writeFile(toFilePath(path), png).catch(refuseToWrite);
    return path;
  };
}

function refuseToWrite(cause: NodeJS.ErrnoException): never {
  throw new CheckError('invalid_request', `the annotated picture can't be written (${cause.code})`, {
    cause,
  });
}

function drawnOf({ isAi, fullImageScore, faceScore, faces, patches, bands }: CheckReport): Drawn {
  const { threshold: faceThreshold } = bands.face;
  return {
    isAi,
    wholePicture:
      fullImageScore === null ? null : { score: fullImageScore, threshold: bands.fullImage.threshold },
    face: faceScore === null ? null : { score: faceScore, threshold: faceThreshold },
    faceThreshold,
    faces,
    patches,
  };
}
