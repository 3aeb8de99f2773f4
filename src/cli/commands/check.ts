// `telltale check`: verdicts for files, folders and standard input.
import { MAX_IMAGE_MB } from 'telltale-engine/internal/base/limits.js';
import { countOf } from 'telltale-engine/internal/base/numbers.js';
import { parseArgs } from 'node:util';
import { pMapIterable } from 'p-map';
import { createChecker, type Checker } from 'telltale-engine/internal/check/checker.js';
import {
  canVerify,
  loadTrustList,
  NO_LIST_ADVICE,
} from 'telltale-engine/internal/check/credentials/trust.js';
import { PROFILE_NAMES } from 'telltale-engine/internal/check/types.js';
import { checkerSettings, loadConfig, type Config } from '../../config.js';
import { DEVICE_NAMES } from 'telltale-engine/internal/engine/types.js';
import { findImages, hasImageExtension, type FoundImage } from '../../calibration/input-files/find-images.js';
import { looksLikeImage, readImage } from '../../calibration/input-files/read-image.js';
import { errorFacts } from 'telltale-engine/internal/base/error-codes.js';
import { PACKAGE_MODELS_DIR, readVersion } from 'telltale-engine/internal/base/package-paths.js';
import { PREVIEW_PX } from '../../record/content/compose.js';
import { createRecorder, type Recorder } from '../../record/content/recorder.js';
import { readProvenance } from '../../record/content/provenance.js';
import { digestBytes } from 'telltale-engine/internal/base/bytes.js';
import { ProgressBar, type Terminal } from '../terminal/terminal.js';
import {
  createAnnotator,
  type Annotator,
  createRecordWriter,
  type RecordWriter,
} from './check/result-files.js';
import {
  createJsonWriter,
  toFailure,
  type ImageResult,
  type ImageResultWriter,
  createTableWriter,
} from './check/output.js';
import {
  UsageError,
  readChoice,
  type Command,
  type ExitStatus,
  listNames,
  LOCAL_DETAILS,
  NO_IMAGES,
  readInclude,
} from './command.js';
import { loadRecordKeys } from './open-database.js';

const HELP = `Usage: telltale check [OPTIONS] PATH | FOLDER | - ...

Detects whether images are AI-generated, AI-edited or face-swapped. Accepts
JPEG, PNG, WebP, AVIF, GIF, BMP and TIFF up to ${MAX_IMAGE_MB} MB, recognised by content.
'-' reads an image from standard input. Folders are searched with their
subfolders; hidden files and files that are not images are skipped.

  --json            print JSON (docs/http.md): one object for one file, else an
                    array whose objects begin with "file"
  --jsonl           print one JSON object per line as soon as it is ready
  --profile P       ${PROFILE_NAMES.join(', ')} (default: balanced)
  --include LIST    details to add to the JSON, separated by commas:
                    ${listNames(LOCAL_DETAILS, 20)}
  --annotate DIR    write DIR/NAME.annotated.png with faces and heat map
  --record DIR      write signed records: DIR/NAME.record.html and .record.json
  --device D        ${DEVICE_NAMES.join(', ')} (default: auto)
  --models DIR      use another models folder

Exit status: 0 all images were checked, 1 an image was refused or failed,
2 wrong usage, 130 stopped.
'No AI detected' does not prove that an image is genuine.`;

export const checkCommand: Command = { help: HELP, run };

async function run(args: string[], terminal: Terminal): Promise<ExitStatus> {
  const { paths, ...options } = readOptions(args, loadConfig());
  const { signal } = terminal;
  const searchPixels = options.include.includes('marks');
  const images = await findImages(paths, { resultsDir: options.annotateDir, signal });
  const { recordDir } = options;
  const needsKeys = recordDir !== undefined || options.include.includes('record');
  const keys = needsKeys ? await loadRecordKeys(loadConfig()) : null;
  const checker = await createChecker(options.checker);
  try {
    const recorder =
      keys && createRecorder(await readProvenance(checker, options.checker.modelsDir, readVersion()), keys);
    const writeRecord =
      recorder === null || recordDir === undefined
        ? null
        : await createRecordWriter(recorder, recordDir, images);
    const writer = createWriter(options, images, paths, terminal);
    const annotate =
      options.annotateDir === undefined
        ? null
        : await createAnnotator(checker.engine, options.annotateDir, images);
    return await checkAll(images, {
      checker,
      annotate,
      recorder,
      writeRecord,
      writer,
      terminal,
      trust: options.checker,
      searchPixels,
      heatMap: needsKeys || annotate !== null || options.include.includes('heatmap'),
    });
  } finally {
    await checker.close();
  }
}

/** State that all images of one call share. */
interface Run {
  readonly checker: Checker;
  readonly annotate: Annotator | null;
  /** Creates signed records, or null if none were requested. */
  readonly recorder: Recorder | null;
  readonly writeRecord: RecordWriter | null;
  readonly writer: ImageResultWriter;
  readonly terminal: Terminal;
  readonly searchPixels: boolean;
  readonly heatMap: boolean;
  readonly trust: Pick<Config, 'trustDir' | 'shippedTrustDir'>;
}

async function checkAll(images: readonly FoundImage[], run: Run): Promise<ExitStatus> {
  const { checker, writer, terminal } = run;
  // One file more than the engine decodes concurrently, so that a file is always ready for a free thread.
  const concurrency = checker.engine.stats().threads.decode + 1;
  // Does not count a folder's files without an image extension, because most of them are not images.
  const expected = images.filter(({ mustBeImage }) => mustBeImage).length;
  const progress = new ProgressBar(terminal.err, expected);
  let checked = 0;
  let failed = 0;
  let hasUnknownSigner = false;
  try {
    const outcomes = pMapIterable(
      images,
      async (image) => ({ outcome: await checkOne(image, run), isExtra: !image.mustBeImage }),
      { concurrency },
    );
    for await (const { outcome, isExtra } of outcomes) {
      if (outcome === null) continue;
      await progress.clear();
      await writer.add(outcome);
      checked += 1;
      if ('failure' in outcome) failed += 1;
      else hasUnknownSigner ||= outcome.report.credentials.found && !outcome.report.credentials.verified;
      await progress.step(isExtra);
    }
  } catch (error) {
    if (!terminal.signal.aborted) throw error;
  }
  await progress.clear();
  await writer.end();
  if (hasUnknownSigner) await suggestTrustLists(run);
  if (terminal.signal.aborted) {
    await terminal.err.writeLine(
      `telltale: stopped after ${checked} of ${countOf(Math.max(checked, expected), 'image')}`,
    );
    return 130;
  }
  if (checked === 0) await terminal.err.writeLine(NO_IMAGES);
  return failed === 0 && checked > 0 ? 0 : 1;
}

/** Suggests installing a trust list if one is missing. Without a list, all signers count as unknown. */
async function suggestTrustLists({ terminal, trust }: Run): Promise<void> {
  if (canVerify(await loadTrustList(trust.trustDir, trust.shippedTrustDir))) return;
  await terminal.err.writeLine(`telltale: ${NO_LIST_ADVICE}`);
}

/** Checks an image. Returns null for a file that was found in a folder and is not an image. */
async function checkOne(image: FoundImage, run: Run): Promise<ImageResult | null> {
  const { name } = image;
  const { signal } = run.terminal;
  signal.throwIfAborted();
  try {
    if (!image.mustBeImage && !(await looksLikeImage(name, run.checker.engine))) return null;
    const bytes = await readImage(name, signal);
    return await checkBytes(image, bytes, run);
  } catch (error) {
    signal.throwIfAborted();
    return { name, failure: toFailure(error) };
  }
}

async function checkBytes(
  image: FoundImage,
  bytes: Uint8Array,
  { checker, annotate, recorder, writeRecord, terminal: { signal }, searchPixels, heatMap }: Run,
): Promise<ImageResult> {
  const { name } = image;
  const previewPx = recorder === null ? undefined : PREVIEW_PX;
  const original = { bytes, sha256: recorder === null ? '' : await digestBytes(bytes), requestId: null };
  try {
    const report = await checker.check(bytes, { signal, searchPixels, heatMap, previewPx });
    await annotate?.(image, bytes, report);
    const record = (await recorder?.check(report, original)) ?? null;
    if (record !== null) await writeRecord?.(image, record);
    return { name, report, record };
  } catch (error) {
    signal.throwIfAborted();
    const failure = toFailure(error);
    const record =
      errorFacts(failure.code).about === 'picture'
        ? ((await recorder?.refusal(failure, original)) ?? null)
        : null;
    if (record !== null) await writeRecord?.(image, record);
    return { name, failure, record };
  }
}

/** Options from the command line and from settings. The command line takes precedence. */
type Options = ReturnType<typeof readOptions>;

function readOptions(args: string[], config: Config) {
  const { values, positionals: paths } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      jsonl: { type: 'boolean', default: false },
      profile: { type: 'string', default: config.profile },
      include: { type: 'string', multiple: true, default: [] },
      annotate: { type: 'string' },
      record: { type: 'string' },
      device: { type: 'string', default: config.device },
      models: { type: 'string' },
    },
  });
  if (paths.length === 0)
    throw new UsageError('Expected at least one image or folder, or - for standard input');
  if (paths.filter((path) => path === '-').length > 1)
    throw new UsageError('standard input can be read only once');
  if (values.json && values.jsonl) throw new UsageError('--json and --jsonl exclude each other');
  const include = readInclude(values.include);
  if (include.length > 0 && !values.json && !values.jsonl)
    throw new UsageError('--include needs --json or --jsonl');
  return {
    paths,
    format: values.json ? ('json' as const) : values.jsonl ? ('jsonl' as const) : ('table' as const),
    include,
    annotateDir: values.annotate,
    recordDir: values.record,
    checker: {
      profile: readChoice('--profile', values.profile, PROFILE_NAMES),
      device: readChoice('--device', values.device, DEVICE_NAMES),
      ...checkerSettings(config),
      modelsDir: values.models ?? config.modelsDir ?? PACKAGE_MODELS_DIR,
    },
  };
}

function createWriter(
  { format, include }: Pick<Options, 'format' | 'include'>,
  images: readonly FoundImage[],
  paths: readonly string[],
  { out }: Terminal,
): ImageResultWriter {
  const [path] = paths;
  const isOneFile = paths.length === 1 && images.length === 1 && images[0]?.name === path;
  if (format === 'jsonl') return createJsonWriter(out, 'lines', include);
  if (format === 'json') return createJsonWriter(out, isOneFile ? 'object' : 'array', include);
  const names = images.filter(({ mustBeImage, name }) => mustBeImage || hasImageExtension(name));
  return createTableWriter(
    out,
    names.map(({ name }) => name),
  );
}
