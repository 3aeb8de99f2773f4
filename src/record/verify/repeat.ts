// Repeating a recorded check with the same models, and comparing the results.
import type { Checker } from 'telltale-engine/internal/check/checker.js';
import type { InspectOptions } from 'telltale-engine/internal/engine/types.js';
import { errorFacts } from 'telltale-engine/internal/base/error-codes.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { composeCheck, composeRefusal } from '../content/compose.js';
import type { RecordContent } from '../content/schema.js';
import { isSameKind, SCORE_TOLERANCE, type Provenance } from '../content/provenance.js';

/** Result of verifying one aspect of a record, such as its signature. */
export interface Finding {
  readonly about: 'page' | 'signature' | 'picture' | 'scores' | 'verdict';
  /** Null if the aspect could not be verified. The text then says why. */
  readonly holds: boolean | null;
  /** Explanation of the result in one line. */
  readonly text: string;
}

/** Means of repeating a check: the installed models and settings, and a checker. */
export interface Repeating {
  readonly setting: Provenance;
  readonly check: Checker['check'];
  /** Returns the time limit, signal and further options of the engine; default: none. */
  readonly limits?: () => InspectOptions;
}

/** Checks the file `bytes` again and compares. Rejects with errors that the image did not cause. */
export async function repeatCheck(
  record: RecordContent,
  bytes: Uint8Array,
  { setting, check }: Repeating,
): Promise<readonly Finding[]> {
  const needed = findMissing(record, setting);
  if (needed !== null) return [{ about: 'scores', holds: null, text: needed }];
  const original = { bytes, sha256: record.picture.sha256 ?? '', requestId: null };
  try {
    const report = await check(bytes, {
      profile: record.verdict?.profile,
      searchPixels: record.marks?.pixels_searched ?? false,
      heatMap: (record.heat_map?.length ?? 0) > 0,
    });
    if (record.refusal)
      return [
        {
          about: 'verdict',
          holds: false,
          text: `the image was refused (${record.refusal.code}) and is now accepted`,
        },
      ];
    const repeatedContent = await composeCheck(setting, report, original);
    const text = explainOtherDecision(record, repeatedContent);
    if (text !== null) return (['scores', 'verdict'] as const).map((about) => ({ about, holds: null, text }));
    return [judgeScores(record, repeatedContent), judgeVerdict(record, repeatedContent)];
  } catch (error) {
    if (!(error instanceof CheckError && errorFacts(error.code).about === 'picture')) throw error;
    const { refusal } = await composeRefusal(setting, error, original);
    const holds = record.refusal?.code === refusal?.code;
    return [{ about: 'verdict', holds, text: `${holds ? 'refused again' : 'now refused'}: ${error.code}` }];
  }
}

/** Returns the reason why this check can't be repeated here, or null if it can. */
function findMissing({ made_with: madeWith }: RecordContent, setting: Provenance): string | null {
  const { engine } = setting;
  const { current } = setting.calibration;
  const views = madeWith.views ?? engine.views;
  const files = madeWith.files ?? engine.files;
  const isSame = (name: string, sha256: string): boolean =>
    engine.files.some((file) => file.name === name && file.sha256 === sha256);
  if (madeWith.model !== current.model)
    return `not repeated: the check needs the model ${madeWith.model}, but this installation has ${current.model}`;
  const changedFile = files.find(({ name, sha256 }) => !isSame(name, sha256));
  if (changedFile)
    return `not repeated: the check needs another version of ${changedFile.name}, with the SHA-256 ${changedFile.sha256}`;
  if (views !== engine.views)
    return `not repeated: the check needs TELLTALE_VIEWS=${views}, but this installation uses ${engine.views}`;
  return null;
}

/** Returns why the checks can't be compared if credentials decided only one of them, or null. */
function explainOtherDecision(record: RecordContent, repeatedContent: RecordContent): string | null {
  const [then, now] = [record, repeatedContent].map(({ verdict }) =>
    verdict?.fired.includes('content_credentials'),
  );
  return then === now
    ? null
    : `not compared: verified Content Credentials decided only the ${then ? 'recorded' : 'repeated'} check; the trust lists, the time or the remote manifest may differ`;
}

function judgeScores(record: RecordContent, repeatedContent: RecordContent): Finding {
  const { numbers, farthest, farthestCell, odd } = compareScores(record, repeatedContent);
  const [then, now] = [record.made_with.arithmetic, repeatedContent.made_with.arithmetic];
  const isSame = then !== null && now !== null && isSameKind(then, now);
  const processorNote = isSame
    ? 'on the same kind of processor'
    : 'on another or an unknown kind of processor';
  const about = 'scores';
  if (numbers === 0 && odd === null)
    return { about, holds: null, text: 'the record has no scores, because no detector ran' };
  if (odd === null && farthest === 0 && farthestCell === 0)
    return {
      about,
      holds: true,
      text: `all ${numbers} numbers are equal to the last digit, ${processorNote}`,
    };
  const differenceNote =
    odd ??
    `the scores differ by up to ${farthest.toPrecision(2)} (the heat map by ${farthestCell.toPrecision(2)})`;
  if (isSame || odd !== null) return { about, holds: false, text: `${differenceNote}, ${processorNote}` };
  const limit = `the tolerance of ${SCORE_TOLERANCE}`;
  return farthest <= SCORE_TOLERANCE
    ? { about, holds: true, text: `${differenceNote} ${processorNote}, within ${limit}` }
    : { about, holds: false, text: `${differenceNote} ${processorNote}, more than ${limit}` };
}

function judgeVerdict(record: RecordContent, repeatedContent: RecordContent): Finding {
  const about = 'verdict';
  if (record.made_with.bands_version !== repeatedContent.made_with.bands_version)
    return {
      about,
      holds: null,
      text: `not compared: the check needs the thresholds ${record.made_with.bands_version}, but this installation has ${repeatedContent.made_with.bands_version}`,
    };
  if (record.verdict?.is_ai && record.verdict.fired.length === 0)
    return {
      about,
      holds: null,
      text: 'not compared: a known image decided the recorded check, and a repeated check uses no known images',
    };
  const describe = ({ verdict }: RecordContent): string =>
    `${verdict?.is_ai ? 'flagged as AI' : 'not flagged as AI'}${verdict?.fired.length ? ` by ${verdict.fired.join(', ')}` : ''}`;
  const holds = describe(record) === describe(repeatedContent);
  return {
    about,
    holds,
    text: holds
      ? `${describe(repeatedContent)}, as in the record`
      : `the record says ${describe(record)}, but the repeated check says ${describe(repeatedContent)}`,
  };
}

/** Differences between the numbers of two checks. */
interface Comparison {
  /** Count of the numbers that both checks have. */
  readonly numbers: number;
  /** Largest difference of two scores, including faces' scores; 0 if all are equal to the last digit. */
  readonly farthest: number;
  /** Largest difference of two heat-map cells, which vary more between kinds of processors than scores do. */
  readonly farthestCell: number;
  /** Description of an item in only one check, such as a face at another position; null if all match. */
  readonly odd: string | null;
}

/** Compares all scores, faces and heat-map cells that the record contains. */
export function compareScores(recordedContent: RecordContent, repeatedContent: RecordContent): Comparison {
  const distances: number[] = [];
  const cells: number[] = [];
  let odd: string | null = null;
  const compare = (name: string, a: number | null, b: number | null): void => {
    if (a === null && b === null) return;
    if (a === null || b === null) odd ??= `only one of the two checks has ${name}`;
    else distances.push(Math.abs(a - b));
  };
  // Not all records contain this score: records from the history lack it, for example.
  if (typeof recordedContent.scores?.drawn === 'number')
    compare('drawn', recordedContent.scores.drawn, repeatedContent.scores?.drawn ?? null);
  for (const id of ['full_image_specialist', 'face_specialist'] as const)
    compare(id, recordedContent.scores?.[id].score ?? null, repeatedContent.scores?.[id].score ?? null);
  const pairs = (name: 'faces' | 'heat_map') => {
    const [all, repeated] = [recordedContent[name], repeatedContent[name]];
    if (all === null || repeated === null) return [];
    if (all.length !== repeated.length)
      odd ??= `${name} had ${all.length} entries and now has ${repeated.length}`;
    return all.map((one, at) => [one, repeated[at]] as const);
  };
  for (const [one, repeated] of [...pairs('faces'), ...pairs('heat_map')]) {
    if (repeated === undefined) continue;
    if (String(one.box) !== String(repeated.box))
      odd ??= `a box was at ${String(one.box)} and is now at ${String(repeated.box)}`;
    if (!('manipulated' in one)) cells.push(Math.abs(one.score - repeated.score));
    else compare('a score', one.score, repeated.score);
    if ('manipulated' in one && 'manipulated' in repeated)
      for (const part of ['manipulated', 'generated', 'confidence'] as const)
        compare(part, one[part], repeated[part]);
  }
  return {
    numbers: distances.length + cells.length,
    farthest: Math.max(0, ...distances),
    farthestCell: Math.max(0, ...cells),
    odd,
  };
}
