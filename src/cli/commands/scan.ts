// `telltale scan`: checking a long list of images, one result per line. Errors of single images do not stop
// it.
import { countOf } from 'telltale-engine/internal/base/numbers.js';
import { writeFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { parseArgs } from 'node:util';
import pMap from 'p-map';
import { createChecker, type Checker } from 'telltale-engine/internal/check/checker.js';
import { presentCheck } from 'telltale-engine/internal/check/present.js';
import { carriesMark, FILE_MARK_KINDS } from 'telltale-engine/internal/check/marks/kinds.js';
import { DETAIL_NAMES, PROFILE_NAMES } from 'telltale-engine/internal/check/types.js';
import { checkerSettings, loadConfig, type Config } from '../../config.js';
import { DEVICE_NAMES } from 'telltale-engine/internal/engine/types.js';
import { ALLOW_INSIDE } from '../../service/outbound/fetch-allow.js';
import { fetcherOf } from '../../service/outbound/guarded-agent.js';
import { createImageFetcher, parseImageUrl, type ImageFetcher } from '../../service/outbound/fetch-image.js';
import { looksLikeImage, readImage } from '../../calibration/input-files/read-image.js';
import { ProgressBar, type Terminal } from '../terminal/terminal.js';
import { toFilePath } from 'telltale-engine/internal/base/files.js';
import { countHeadlines } from 'telltale-engine/internal/check/verdict/assessment.js';
import { visibleText } from 'telltale-engine/internal/base/visible-text.js';
import { toFailure } from './check/output.js';
import {
  UsageError,
  readChoice,
  type Command,
  type ExitStatus,
  listNames,
  NO_IMAGES,
  readInclude,
  readNames,
} from './command.js';
import { readItems, type ScanItem } from './scan/read-items.js';
import { buildReportPage } from './scan/report-page.js';
import { nameOf, ResultsFile, type ResultBody, type ResultLine, Tally } from './scan/results-file.js';

const HELP = `Usage: telltale scan [OPTIONS] --out FILE.jsonl FOLDER | LIST | -

Checks many images. LIST is a text file with one address (http, https) or path
per line, or CSV with a column url, image_url, file or path; '-' reads it from
standard input. Paths are relative to the current folder. Each checked image
adds a line to FILE. FILE.html has counts, scores and highest-scored images.

  --resume         continue FILE after an interruption
  --column NAME    the list is CSV with addresses or paths in this column
  --private        also fetch from addresses that are not public
  --profile P      ${PROFILE_NAMES.join(', ')} (default: balanced)
  --include LIST   details to add, separated by commas:
                   ${listNames(DETAIL_NAMES, 19)}
  --mark LIST      show in the report only images with marks of these kinds
                   (visible, job_id, ...); requires --include marks
  --device D       ${DEVICE_NAMES.join(', ')} (default: auto)
  --models DIR     use another models folder
  --json           print the summary as JSON

Exit status: 0 all images were checked, 1 an image was refused or failed,
2 wrong usage, 130 stopped.`;

export const scanCommand: Command = { help: HELP, run };

/**
 * Number of images to fetch in addition to the ones being scored, enough to hide response times of half a
 * second.
 */
const EXTRA_FETCHES = 12;
/** Longer side in pixels and JPEG quality of the images in the report. */
const THUMBNAIL = { longSidePx: 240, quality: 75 };

async function run(args: string[], terminal: Terminal): Promise<ExitStatus> {
  const config = loadConfig();
  const options = readOptions(args, config);
  const { signal } = terminal;
  const items = await readItems({ path: options.path, column: options.column, signal });
  const results = await ResultsFile.open(options.out, options.resume);
  const fetcher = createImageFetcher({
    ...fetcherOf(config),
    ...(options.private && { allow: ALLOW_INSIDE }),
  });
  try {
    const checker = await createChecker(options.checker);
    try {
      return await scan(items, { checker, fetcher, results, terminal, options });
    } finally {
      await checker.close();
    }
  } finally {
    await Promise.all([results.close(), fetcher.close()]);
  }
}

/** State that all images of one scan share. */
interface Run {
  readonly checker: Checker;
  readonly fetcher: ImageFetcher;
  readonly results: ResultsFile;
  readonly terminal: Terminal;
  readonly options: ReturnType<typeof readOptions>;
}

async function scan(items: readonly ScanItem[], run: Run): Promise<ExitStatus> {
  const { checker, results, terminal, options } = run;
  const tally = new Tally();
  const reported = options.mark.length === 0 ? tally : new Tally();
  const count = (line: ResultLine & ResultBody): void => {
    tally.add(line);
    if (reported !== tally && carriesMark(line, options.mark)) reported.add(line);
  };
  const checkedLines = new Map<string, number>();
  const reportBroken = (lines: readonly number[]): Promise<void> =>
    terminal.err.writeLine(
      `telltale: skipped ${countOf(lines.length, 'line')} of the results file that are not results, the first is line ${lines[0]}; their images are checked again`,
    );
  for await (const line of results.read(reportBroken)) {
    count(line);
    checkedLines.set(nameOf(line), (checkedLines.get(nameOf(line)) ?? 0) + 1);
  }
  const missing = items.filter(({ name }) => {
    const times = checkedLines.get(name) ?? 0;
    checkedLines.set(name, times - 1);
    return times <= 0;
  });
  const progress = new ProgressBar(terminal.err, items.length, {
    doneBefore: items.length - missing.length,
  });
  const fetches = items.some(({ isAddress }) => isAddress) ? EXTRA_FETCHES : 0;
  const startMs = Date.now();
  const before = tally.total;
  const checkNext = async (item: ScanItem): Promise<void> => {
    const body = await checkOne(item, run);
    if (body !== null) {
      const line = { ...(item.isAddress ? { url: item.name } : { file: item.name }), ...body };
      await results.append(line);
      count(line);
    }
    await progress.step();
  };
  try {
    // One file more than the engine decodes concurrently, so that a file is always ready for a free thread.
    await pMap(missing, checkNext, { concurrency: checker.engine.stats().threads.decode + 1 + fetches });
  } catch (error) {
    if (!terminal.signal.aborted) throw error;
  }
  await progress.clear();
  const seconds = (Date.now() - startMs) / 1000;
  const checked = tally.total - before;
  // There is no rate if nothing was checked or no time has passed.
  const imagesPerSecond = checked > 0 && seconds > 0 ? checked / seconds : null;
  await writeSummary(tally, { imagesPerSecond, options, terminal });
  if (terminal.signal.aborted) {
    await terminal.err.writeLine(
      `telltale: stopped after ${countOf(tally.total, 'image')}; --resume continues`,
    );
    return 130;
  }
  await writeReport(reported, run);
  if (tally.total === 0) await terminal.err.writeLine(NO_IMAGES);
  return tally.refused === 0 && tally.total > 0 ? 0 : 1;
}

/**
 * Checks one image. Returns null for a file that was found in a folder and is not an image. Rejects only with
 * the signal's reason.
 */
async function checkOne(item: ScanItem, run: Run): Promise<ResultBody | null> {
  const { checker, terminal, options } = run;
  const { signal } = terminal;
  signal.throwIfAborted();
  try {
    if (!item.mustBeImage && !(await looksLikeImage(item.name, checker.engine))) return null;
    const bytes = await readBytes(item, run);
    const { include } = options;
    const heatMap = include.includes('heatmap');
    const searchPixels = include.includes('marks');
    return presentCheck(await checker.check(bytes, { signal, heatMap, searchPixels }), { include });
  } catch (error) {
    signal.throwIfAborted();
    return { error: toFailure(error) };
  }
}

function readBytes(
  { name, isAddress }: Pick<ScanItem, 'name' | 'isAddress'>,
  { fetcher, terminal }: Run,
): Promise<Uint8Array> {
  return isAddress
    ? fetcher.fetch(parseImageUrl(name).href, terminal.signal)
    : readImage(name, terminal.signal);
}

interface Summary {
  /** Number of images per second, or null if nothing was checked. */
  readonly imagesPerSecond: number | null;
  readonly options: Run['options'];
  readonly terminal: Terminal;
}

async function writeSummary(tally: Tally, { imagesPerSecond, options, terminal }: Summary): Promise<void> {
  const rate = imagesPerSecond === null ? null : Math.round(imagesPerSecond * 10) / 10;
  if (options.json) {
    const { total: pictures, ai, noAi: no_ai, assessments, refused } = tally;
    const errors = Object.fromEntries(tally.errors);
    const marks = options.include.includes('marks') ? { marks: tally.marks } : {};
    const summary = {
      pictures,
      ai,
      no_ai,
      assessments,
      refused,
      errors,
      ...marks,
      pictures_per_second: rate,
    };
    await terminal.out.writeLine(JSON.stringify(summary));
    return;
  }
  const { total, assessments, refused } = tally;
  const counts = `${countOf(total, 'image')}: ${countHeadlines(assessments)}, ${refused} refused`;
  await terminal.out.writeLine(rate === null ? counts : `${counts}; ${rate} a second`);
  for (const [code, count] of [...tally.errors].sort((a, b) => b[1] - a[1]))
    await terminal.out.writeLine(`  ${code}: ${count}`);
}

async function writeReport(tally: Tally, run: Run): Promise<void> {
  const { checker, options, terminal } = run;
  const bands = checker.bands.profiles[options.checker.profile];
  const facts = {
    source: options.path === '-' ? 'standard input' : visibleText(options.path),
    model: checker.bands.model,
    bandsVersion: checker.bands.version,
    profile: options.checker.profile,
    finishedAt: new Date(),
    hasMarks: options.include.includes('marks'),
    mark: options.mark,
    thresholds: {
      full_image_specialist: [
        { name: 'photographed', threshold: bands.fullImage.photographed.threshold },
        { name: 'drawn', threshold: bands.fullImage.drawn.threshold },
      ],
      face_specialist: [{ name: 'threshold', threshold: bands.face.threshold }],
    },
  };
  const page = await buildReportPage(tally, facts, async (image) => {
    try {
      return await checker.engine.recompress(await readBytes(image, run), THUMBNAIL);
    } catch {
      terminal.signal.throwIfAborted();
      return null;
    }
  });
  await writeFile(toFilePath(options.report), page);
  if (!options.json) await terminal.out.writeLine(`report: ${visibleText(options.report)}`);
}

function readOptions(args: string[], config: Config) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      out: { type: 'string' },
      resume: { type: 'boolean', default: false },
      column: { type: 'string' },
      private: { type: 'boolean', default: false },
      profile: { type: 'string', default: config.profile },
      include: { type: 'string', multiple: true, default: [] },
      mark: { type: 'string', multiple: true, default: [] },
      device: { type: 'string', default: config.device },
      models: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  });
  const [path, ...extraPaths] = positionals;
  if (path === undefined || extraPaths.length > 0)
    throw new UsageError('Expected one folder, one list, or -');
  if (values.out === undefined || values.out === '')
    throw new UsageError('Expected --out with a file for the results');
  if (extname(values.out) === '.html')
    throw new UsageError(
      'Expected a file for JSON lines for --out, not .html. The report is written next to it',
    );
  const include = readInclude(values.include);
  const mark = readNames('--mark', values.mark, FILE_MARK_KINDS);
  if (mark.length > 0 && !include.includes('marks'))
    throw new UsageError('--mark needs --include marks, because marks are not searched for otherwise');
  return {
    ...values,
    path,
    out: values.out,
    report: `${values.out.slice(0, values.out.length - extname(values.out).length)}.html`,
    include,
    mark,
    checker: {
      profile: readChoice('--profile', values.profile, PROFILE_NAMES),
      device: readChoice('--device', values.device, DEVICE_NAMES),
      ...checkerSettings(config),
      ...(values.models !== undefined && { modelsDir: values.models }),
    },
  };
}
