// `telltale models adapt`: a correction of the full-image specialist, learned from an operator's own pictures.
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { nameBands } from '../../adaptation/bands-file.js';
import { formatCard, tableOf } from '../../adaptation/card.js';
import { learnCorrection } from '../../adaptation/learn.js';
import { countOutcome, findFault, fitBands } from '../../adaptation/outcome.js';
import { loadReference } from '../../adaptation/reference.js';
import type { SeenPictures } from '../../adaptation/see-pictures.js';
import { refuseExisting, writeAdaptation } from '../../adaptation/write-adaptation.js';
import { loadBands } from '../../check/bands.js';
import { PROFILE_NAMES } from '../../check/types.js';
import { loadConfig } from '../../config.js';
import { createEngine } from '../../engine/engine.js';
import { loadModels } from '../../engine/manifest.js';
import { DEVICE_NAMES } from '../../engine/types.js';
import { CheckError, StartError } from '../../errors.js';
import { loadDataset } from '../../evaluation/dataset.js';
import { PACKAGE_MODELS_DIR } from '../../package-paths.js';
import { formatTable } from '../../terminal/columns.js';
import type { Terminal } from '../../terminal/terminal.js';
import { visibleText } from '../../terminal/visible-text.js';
import { UsageError, readChoice, type ExitStatus } from '../command.js';
import { readName, seeAll, warnOf } from './own-pictures.js';

/** One of the two is enough. */
const LEAST = { ai: 8, genuine: 20 };

/** Runs with the arguments after `models adapt`. Rejects as a Command does. */
export async function adaptModels(args: string[], terminal: Terminal): Promise<ExitStatus> {
  const { paths, name, profile, outDir, modelsDir, engineOptions } = readOptions(args);
  const { out, err, signal } = terminal;
  await refuseExisting(outDir);
  const pictures = await loadDataset(await Promise.all(paths.map(findList)), signal);
  // A correction is always of the networks that shipped: corrections do not add up.
  const { networksDir, digest, views } = await loadModels(modelsDir, null);
  // By all views of the models' own plan, as the reference was seen.
  const engine = await createEngine({ ...engineOptions, modelsDir: networksDir, views });
  try {
    const shipped = await loadBands(join(networksDir, 'bands.json'), engine.model);
    const reference = await loadReference(join(networksDir, 'reference'));
    if (reference.model !== engine.model)
      throw new StartError(
        'model_invalid',
        `the reference is for ${reference.model}, but the models are ${engine.model}`,
      );
    const found = await seeAll(pictures, engine, terminal);
    const warnings = warnOf(found);
    for (const warning of warnings) await err.writeLine(`telltale: ${warning}`);
    const lacking = findLack(found);
    if (lacking !== null) await err.writeLine(`telltale: ${lacking}`);
    const setting = { reference, shipped, profile };
    const learned = learnCorrection(found.seen, setting);
    const outcome = countOutcome(found.seen, setting, learned);
    for (const line of formatTable(tableOf(outcome))) await out.writeLine(line);
    const fault = findFault(outcome);
    if (fault !== null) {
      await out.writeLine(`Nothing is written: ${fault}.`);
      return 3;
    }
    const madeAt = new Date();
    const day = madeAt.toISOString().slice(0, 10).replaceAll('-', '');
    const model = `${engine.model}+${name}.${day}`;
    const bands = nameBands({ model, profiles: fitBands(shipped, reference, learned) }, name, madeAt);
    const adaptation = {
      model,
      corrects: engine.model,
      digest,
      networks: networksDir === PACKAGE_MODELS_DIR ? null : resolve(networksDir),
      correction: learned.correction,
    };
    const facts = {
      model,
      corrects: engine.model,
      bandsVersion: bands.version,
      outcome,
      learned,
      warnings: lacking === null ? warnings : [...warnings, lacking],
      madeAt,
    };
    await writeAdaptation(outDir, { adaptation, bands, card: formatCard(facts) });
    const folder = visibleText(outDir);
    await out.writeLine(
      `${model} is in ${folder}: serve it with TELLTALE_MODELS_DIR=${folder}; its card is ${join(folder, 'card.md')}`,
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

/** Which class lacks; null where none does. Throws CheckError `invalid_request` where both are too small. */
function findLack({ seen, copies, refused, contradictions }: SeenPictures): string | null {
  const ai = seen.filter(({ isAi }) => isAi).length;
  const genuine = seen.length - ai;
  if (ai < LEAST.ai && genuine < LEAST.genuine) {
    const others = `${copies.length} copies, ${refused.length} refused, ${contradictions.length} of either label`;
    throw new CheckError(
      'invalid_request',
      `Expected at least ${LEAST.ai} AI or ${LEAST.genuine} genuine pictures, each another, but received ${ai} and ${genuine} (beside them ${others})`,
    );
  }
  if (genuine === 0)
    return 'there are no genuine pictures of yours: what fires falsely is measured on the reference alone';
  return ai === 0
    ? 'there are no AI pictures of yours: what is found is measured on the reference alone'
    : null;
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
