// Checking the images of a folder for an assistant, in order of name, a limited number (page) per call.
import { countOf } from 'telltale-engine/internal/base/numbers.js';
import { relative } from 'node:path';
import pMap from 'p-map';
import { CheckError, invalidRequest } from 'telltale-engine/internal/base/errors.js';
import { visibleText } from 'telltale-engine/internal/base/visible-text.js';
import { findImages, hasImageExtension } from '../../../calibration/input-files/find-images.js';
import type { CheckResult } from 'telltale-engine/internal/check/result-schema.js';
import { ASSESSMENTS, type CheckFailure } from 'telltale-engine/internal/check/types.js';
import {
  assessmentOf,
  countHeadlines,
  HEADLINES,
  withoutHeadline,
} from 'telltale-engine/internal/check/verdict/assessment.js';
import { toFailure } from '../check/output.js';
import { FILE_TEXTS, NO_CONVICTION, NO_PROOF_NOTE } from '../../../service/mcp/answers.js';
import type { FolderRequest } from '../../../service/mcp/server.js';
import { findInside, type ImageSource } from './image-source.js';
import type { ImageChecker } from './image-checker.js';

/** An image of the folder: its path within the folder, and its result or error. */
type FolderEntry = { readonly file: string } & (
  { readonly result: CheckResult } | { readonly error: CheckFailure }
);

/** Results of one page of images. */
interface FolderAnswer {
  readonly entries: readonly FolderEntry[];
  /** Number of images that follow after this page. */
  readonly uncheckedFiles: number;
}

/**
 * Checks all files with the extension of an accepted format, in all subfolders, except hidden ones. Follows
 * links to allowed files. Rejects with CheckError as `findInside` does, or with the signal's reason.
 */
export async function checkFolder(
  checker: ImageChecker,
  source: ImageSource,
  { path, profile, limit, after, signal, onProgress }: FolderRequest,
): Promise<FolderAnswer> {
  const { realPath } = await findInside(path, source.boundaries);
  const images = await findImages([realPath], { signal });
  if (images.some(({ name }) => name === realPath))
    throw invalidRequest('Expected the path of a readable folder. For a file, call check_image');
  const files = images
    .map(({ name }) => relative(realPath, name))
    .filter((file) => hasImageExtension(file))
    // Sorted by the whole path, so that `after`, the last path of a page, tells where the next one begins.
    .sort((a, b) => (a < b ? -1 : 1))
    .filter((file) => after === undefined || file > after);
  const page = files.slice(0, limit);
  let done = 0;
  const checkOne = async (file: string): Promise<FolderEntry> => {
    signal.throwIfAborted();
    let entry: FolderEntry;
    try {
      const bytes = await source.read({ path: `${realPath}/${file}` }, signal);
      entry = { file, result: await checker.check(bytes, { profile, heatMap: false, signal }) };
    } catch (error) {
      signal.throwIfAborted();
      // Other errors would repeat for every image, so they end the call.
      if (!(error instanceof CheckError)) throw error;
      entry = { file, error: toFailure(error) };
    }
    done += 1;
    await onProgress(done, page.length);
    return entry;
  };
  const entries = await pMap(page, checkOne, { concurrency: checker.concurrency });
  return { entries, uncheckedFiles: files.length - page.length };
}

/** Describes a page for people: totals, then one line per image that needs attention, AI first. */
export function describeFolder({ entries, uncheckedFiles }: FolderAnswer): string {
  const results = entries.flatMap((entry) => ('result' in entry ? [entry] : []));
  const counts = { likely_ai: 0, unclear: 0, no_ai_detected: 0 };
  for (const { result } of results) counts[assessmentOf(result)] += 1;
  const shown = ASSESSMENTS.filter((assessment) => assessment !== 'no_ai_detected').flatMap((assessment) =>
    results.filter(({ result }) => assessmentOf(result) === assessment),
  );
  const refused = entries.flatMap((entry) => ('error' in entry ? [entry] : []));
  const last = entries.at(-1)?.file ?? '';
  return [
    `${countOf(entries.length, 'image')}: ${countHeadlines(counts)}, ${refused.length} refused.`,
    ...shown.map(
      ({ file, result }) =>
        `${HEADLINES[assessmentOf(result)]}: ${visibleText(file)} (${result.id}): ${visibleText(withoutHeadline(result.reason))}`,
    ),
    ...refused.map(
      ({ file, error }) => `Refused: ${visibleText(file)} (${error.code}): ${visibleText(error.message)}`,
    ),
    ...(uncheckedFiles === 0
      ? []
      : [
          `${uncheckedFiles} more ${uncheckedFiles === 1 ? 'is' : 'are'} left: call again with after = ${JSON.stringify(last)}.`,
        ]),
    ...(shown.length === 0 ? [] : [FILE_TEXTS]),
    ...(counts.likely_ai === 0 ? [] : [`Limits: ${NO_CONVICTION}`]),
    `Limits: ${NO_PROOF_NOTE}`,
  ].join('\n');
}
