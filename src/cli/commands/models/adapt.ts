// `telltale models adapt`: a correction of the full-image specialist, learned from an operator's own pictures.
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { adapt, refuseTooFew, warnOfAll } from '../../../calibration/adaptation/adapt.js';
import { tableOf } from '../../../calibration/adaptation/card.js';
import { loadReference } from '../../../calibration/adaptation/reference.js';
import { refuseExisting, writeAdaptation } from '../../../calibration/adaptation/write-adaptation.js';
import { loadBands } from '../../../check/thresholds/bands.js';
import { PROFILE_NAMES } from '../../../check/types.js';
import { loadConfig } from '../../../config.js';
import { createEngine } from '../../../engine/native/engine.js';
import { loadModels } from '../../../engine/manifests/manifest.js';
import { DEVICE_NAMES } from '../../../engine/types.js';
import { loadDataset } from '../../../calibration/evaluation/dataset.js';
import { PACKAGE_MODELS_DIR } from '../../../base/package-paths.js';
import { formatTable } from '../../../base/text-columns.js';
import type { Terminal } from '../../terminal/terminal.js';
import { visibleText } from '../../../base/visible-text.js';
import { UsageError, readChoice, type ExitStatus } from '../command.js';
import { readName, seeAll } from './own-pictures.js';

/** Runs with the arguments after `models adapt`. Rejects as a Command does. */
export async function adaptModels(args: string[], terminal: Terminal): Promise<ExitStatus> {
  const { paths, name, profile, outDir, modelsDir, engineOptions } = readOptions(args);
  const { out, err, signal } = terminal;
  await refuseExisting(outDir);
  const pictures = await loadDataset(await Promise.all(paths.map(findList)), signal);
  // A correction is always of the networks that shipped: corrections do not add up.
  const { networksDir, networks } = await loadModels(modelsDir, null);
  const engine = await createEngine({ ...engineOptions, modelsDir: networksDir });
  try {
    const shipped = await loadBands(join(networksDir, 'bands.json'), engine.model);
    const reference = await loadReference(join(networksDir, 'reference'), engine.model);
    // By all views, as the reference was seen.
    const found = await seeAll(pictures, engine, terminal, new Float64Array(networks.embeddingSize));
    for (const warning of warnOfAll(found)) await err.writeLine(`telltale: ${warning}`);
    refuseTooFew(found);
    const { outcome, fault, made } = adapt({
      found,
      networks,
      networksDir: networksDir === PACKAGE_MODELS_DIR ? null : resolve(networksDir),
      reference,
      shipped,
      profile,
      name,
      madeAt: new Date(),
    });
    for (const line of formatTable(tableOf(outcome))) await out.writeLine(line);
    if (fault !== null) {
      await out.writeLine(`Nothing is written: ${fault}.`);
      return 3;
    }
    await writeAdaptation(outDir, made);
    const folder = visibleText(outDir);
    await out.writeLine(
      `${made.adaptation.model} is in ${folder}: serve it with TELLTALE_MODELS_DIR=${folder}; its card is ${join(folder, 'card.md')}`,
    );
    return found.refused.length === 0 ? 0 : 1;
  } finally {
    await engine.close();
  }
}

/** What `telltale feedback export` writes is a folder with a list. */
async function findList(path: string): Promise<string> {
  const list = join(path, 'feedback.csv');
  return (await stat(list).catch(() => null)) === null ? path : list;
}

function readOptions(args: string[]) {
  const config = loadConfig();
  const { values, positionals: paths } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      name: { type: 'string', default: 'own' },
      profile: { type: 'string', default: config.profile },
      out: { type: 'string' },
      device: { type: 'string', default: config.device },
    },
  });
  if (paths.length === 0) throw new UsageError("name at least one folder with 'ai' and 'real', or CSV file");
  if (values.out === undefined) throw new UsageError('name the folder to make with --out');
  return {
    paths,
    name: readName(values.name),
    profile: readChoice('--profile', values.profile, PROFILE_NAMES),
    outDir: values.out,
    modelsDir: config.modelsDir ?? PACKAGE_MODELS_DIR,
    engineOptions: {
      device: readChoice('--device', values.device, DEVICE_NAMES),
      threads: config.threads,
    },
  };
}
