// `telltale models calibrate`: computing thresholds from an operator's own genuine images.
import { randomBytes } from 'node:crypto';
import { rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeFolder, toFilePath } from 'telltale-engine/internal/base/files.js';
import type { Aims } from '../../../calibration/thresholds/calibrate.js';
import { buildCalibrationPage, tableOf } from '../../../calibration/thresholds/calibration-page.js';
import {
  areAims,
  formatBands,
  makeThresholds,
  OWN_NAME,
  refuseFewGenuine,
} from '../../../calibration/thresholds/own-thresholds.js';
import {
  MAX_IMAGES,
  loadFitImages,
  describeWarnings,
  type FitImages,
} from '../../../calibration/thresholds/fit-images.js';
import { loadBands } from 'telltale-engine/internal/check/thresholds/bands.js';
import { loadConfig } from '../../../config.js';
import { createEngine } from 'telltale-engine/internal/engine/native/engine.js';
import { DEVICE_NAMES, type Engine } from 'telltale-engine/internal/engine/types.js';
import { loadDataset, type LabelledImage } from '../../../calibration/evaluation/dataset.js';
import { invalidRequest } from 'telltale-engine/internal/base/errors.js';
import { PACKAGE_MODELS_DIR } from 'telltale-engine/internal/base/package-paths.js';
import { readImage } from '../../../calibration/input-files/read-image.js';
import { formatTable } from '../../../tables/columns.js';
import { ProgressBar, type Terminal } from '../../terminal/terminal.js';
import { visibleText } from 'telltale-engine/internal/base/visible-text.js';
import { UsageError, readChoice, type ExitStatus } from '../command.js';

const BANDS_FILE = 'bands.json';
const PAGE_FILE = 'calibration.html';
/** Size and quality of the images on the page that reports the result. */
const THUMBNAIL = { longSidePx: 240, quality: 75 };

/** Runs the subcommand. `args` are the arguments after `models calibrate`. Rejects as `Command.run` does. */
export async function calibrateModels(args: string[], terminal: Terminal): Promise<ExitStatus> {
  const { paths, aims, name, outDir, bandsPath, modelsDir, engineOptions } = readOptions(args);
  const { out, err, signal } = terminal;
  await refuseExistingFiles(outDir);
  const images = await loadDataset(await Promise.all(paths.map(findList)), signal, { unlabelled: 'real' });
  refuseFewGenuine({ usable: images, refused: [], copies: [], contradictions: [], surplus: [] });
  const engine = await createEngine({ modelsDir, ...engineOptions });
  try {
    const before = await loadBands(bandsPath, engine.model);
    const fitImages = await loadAll(images, engine, terminal);
    const imageWarnings = describeWarnings(fitImages);
    for (const warning of imageWarnings) await err.writeLine(`telltale: ${warning}`);
    refuseFewGenuine(fitImages);
    const madeAt = new Date();
    const input = { images: fitImages.usable, before, aims, name, madeAt };
    const { calibration, bands: after, cautions } = makeThresholds(input);
    const facts = {
      calibration,
      before,
      after,
      images: fitImages.usable,
      madeAt,
      warnings: [...imageWarnings, ...cautions],
    };
    const page = await buildCalibrationPage(facts, (path) => makeThumbnail(path, engine, signal));
    await writeWhole(outDir, PAGE_FILE, page);
    await writeWhole(outDir, BANDS_FILE, formatBands(after));
    for (const line of formatTable(tableOf(calibration.thresholds))) await out.writeLine(line);
    for (const caution of cautions) await err.writeLine(`telltale: ${caution}`);
    const file = visibleText(join(outDir, 'bands.json'));
    await out.writeLine(`${after.version} is in ${file}: serve it with TELLTALE_BANDS=${file}`);
    await out.writeLine(`What fires with it: ${visibleText(join(outDir, 'calibration.html'))}`);
    return fitImages.refused.length === 0 ? 0 : 1;
  } finally {
    await engine.close();
  }
}

/** Refuses a folder that contains thresholds already, because a service may be using them. */
async function refuseExistingFiles(folder: string): Promise<void> {
  for (const name of [BANDS_FILE, PAGE_FILE]) {
    const path = join(folder, name);
    if ((await stat(path).catch(() => null)) === null) continue;
    throw invalidRequest(`${visibleText(path)} already exists. Use another folder`);
  }
}

/** Returns the path of the CSV file in a folder that `telltale feedback export` wrote. */
async function findList(path: string): Promise<string> {
  const list = join(path, 'feedback.csv');
  return (await stat(list).catch(() => null)) === null ? path : list;
}

/** Scores all images and shows progress. Rejects with CheckError `invalid_request` if they are too many. */
async function loadAll(
  images: readonly LabelledImage[],
  engine: Engine,
  { err, signal }: Terminal,
): Promise<FitImages> {
  if (images.length > MAX_IMAGES)
    throw invalidRequest(
      `Expected at most ${MAX_IMAGES} images but received ${images.length}. Use a random sample`,
    );
  const progress = new ProgressBar(err, images.length);
  const fitImages = await loadFitImages(images, {
    engine,
    limits: { signal },
    onImage: () => progress.step(),
  });
  await progress.clear();
  return fitImages;
}

/** Writes a file completely or not at all. Rejects with CheckError `invalid_request` if that fails. */
async function writeWhole(folder: string, name: string, content: string): Promise<void> {
  const draft = join(folder, `.${name}.${randomBytes(4).toString('hex')}`);
  try {
    await makeFolder(folder);
    await writeFile(toFilePath(draft), content);
    await rename(toFilePath(draft), toFilePath(join(folder, name)));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw invalidRequest(`the folder ${folder} can't be written (${code})`, { cause });
  }
}

async function makeThumbnail(path: string, engine: Engine, signal: AbortSignal): Promise<Uint8Array | null> {
  try {
    return await engine.recompress(await readImage(path, signal), THUMBNAIL);
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

function readOptions(args: string[]) {
  const config = loadConfig();
  const { values, positionals: paths } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      aim: { type: 'string', default: '0.3,1,5' },
      name: { type: 'string', default: 'own' },
      out: { type: 'string' },
      device: { type: 'string', default: config.device },
    },
  });
  if (paths.length === 0) throw new UsageError('Expected at least one folder or CSV file of genuine images');
  if (values.out === undefined) throw new UsageError('Expected --out with the folder to write to');
  const modelsDir = config.modelsDir ?? PACKAGE_MODELS_DIR;
  return {
    paths,
    aims: readAims(values.aim),
    name: readName(values.name),
    outDir: values.out,
    modelsDir,
    bandsPath: config.bandsFile ?? join(modelsDir, 'bands.json'),
    engineOptions: {
      device: readChoice('--device', values.device, DEVICE_NAMES),
      threads: config.threads,
      ...(config.views !== null && { views: config.views }),
    },
  };
}

/** Reads the allowed percentages of false positives for the profiles strict, balanced and sensitive. */
function readAims(text: string): Aims {
  const shares = text.split(',').map((part) => (part.trim() === '' ? NaN : Number(part) / 100));
  const [strict = NaN, balanced = NaN, sensitive = NaN] = shares;
  const aims = { strict, balanced, sensitive };
  if (shares.length === 3 && areAims(aims)) return aims;
  throw new UsageError(
    `Expected three percents that rise to at most 50, such as 0.3,1,5, for --aim but received '${visibleText(text)}'`,
  );
}

/** Reads the option `--name`, which becomes a part of version names. Throws UsageError. */
function readName(name: string): string {
  if (OWN_NAME.test(name)) return name;
  throw new UsageError(
    `Expected 1 to 32 letters, digits and dashes for --name but received '${visibleText(name)}'`,
  );
}
