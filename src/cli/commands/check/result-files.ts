// Writing files about each image that `telltale check` checks: an annotated PNG and a signed record.
import { resolve, dirname, join } from 'node:path';
import type { Engine } from 'telltale-engine/internal/engine/types.js';
import { writeFile } from 'node:fs/promises';
import { makeFolder, toFilePath } from 'telltale-engine/internal/base/files.js';
import { drawVerdict, type DrawnVerdict } from 'telltale-engine/internal/check/draw-verdict.js';
import type { CheckReport } from 'telltale-engine/internal/check/report.js';
import { assess } from 'telltale-engine/internal/check/verdict/assessment.js';
import { invalidRequest } from 'telltale-engine/internal/base/errors.js';
import { RESULT_ENDING, type FoundImage } from '../../../calibration/input-files/find-images.js';
import type { Recorder } from '../../../record/content/recorder.js';
import type { SignedRecord } from '../../../record/content/schema.js';
import { writeJson } from '../../../record/keys/keys.js';

/** Returns the path `base` + `ending`, with a number in between if the path is taken. Adds it to `usedPaths`. */
function unusedPath(base: string, ending: string, usedPaths: Set<string>): string {
  let path = `${base}${ending}`;
  for (let number = 2; usedPaths.has(resolve(path)); number += 1) path = `${base}-${number}${ending}`;
  usedPaths.add(resolve(path));
  return path;
}

/** Maximum longer side of an annotated image in pixels, which fills a screen and keeps files small. */
const LONG_SIDE_PX = 1280;

/** Function that draws a verdict on its image, writes it as a PNG and resolves to the PNG's path. */
export type Annotator = (image: FoundImage, bytes: Uint8Array, report: CheckReport) => Promise<string>;

/**
 * Creates `folder`, and returns a function that writes annotated images below it. Every image gets its own
 * file, and checked images are never overwritten. This function and the returned one reject with CheckError
 * `invalid_request` if the folder is not writable.
 */
export async function createAnnotator(
  engine: Engine,
  folder: string,
  images: readonly FoundImage[],
): Promise<Annotator> {
  await makeFolder(folder).catch(refuseToWrite);
  const usedPaths = new Set(images.map(({ name }) => resolve(name)));
  return async (image, bytes, report) => {
    const path = unusedPath(join(folder, image.relativePath), RESULT_ENDING, usedPaths);
    const png = await drawVerdict(engine, bytes, drawnOf(report), LONG_SIDE_PX);
    await makeFolder(dirname(path)).catch(refuseToWrite);
    await writeFile(toFilePath(path), png).catch(refuseToWrite);
    return path;
  };
}

function refuseToWrite(cause: NodeJS.ErrnoException): never {
  throw invalidRequest(`the annotated image can't be written (${cause.code})`, {
    cause,
  });
}

function drawnOf(report: CheckReport): DrawnVerdict {
  const { fired, fullImageScore, faceScore, faces, patches, bands } = report;
  const { threshold: faceThreshold } = bands.face;
  return {
    assessment: assess(report),
    fired,
    wholeImage:
      fullImageScore === null ? null : { score: fullImageScore, threshold: bands.fullImage.threshold },
    face: faceScore === null ? null : { score: faceScore, threshold: faceThreshold },
    faceThreshold,
    faces,
    patches,
  };
}

const ENDING = '.record';

/** Function that writes an image's record as two files: JSON and an HTML page. */
export type RecordWriter = (image: FoundImage, record: SignedRecord) => Promise<void>;

/**
 * Creates `folder`, and returns a function that writes records below it. Every image gets its own files. This
 * function and the returned one reject with CheckError `invalid_request` if the folder is not writable.
 */
export async function createRecordWriter(
  recorder: Recorder,
  folder: string,
  images: readonly FoundImage[],
): Promise<RecordWriter> {
  await makeFolder(folder).catch(refuseRecord);
  const usedPaths = new Set(images.map(({ name }) => resolve(name)));
  return async (image, record) => {
    const base = unusedPath(join(folder, image.relativePath), ENDING, usedPaths);
    await makeFolder(dirname(base)).catch(refuseRecord);
    await writeFile(toFilePath(`${base}.json`), writeJson(record)).catch(refuseRecord);
    await writeFile(toFilePath(`${base}.html`), await recorder.page(record)).catch(refuseRecord);
  };
}

function refuseRecord(cause: NodeJS.ErrnoException): never {
  throw invalidRequest(`the record can't be written (${cause.code})`, { cause });
}
