// `telltale models eval`: measuring the detectors on the user's own labelled images.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeFolder } from 'telltale-engine/internal/base/files.js';
import { loadBands } from 'telltale-engine/internal/check/thresholds/bands.js';
import {
  MEDIUM_NAMES,
  PROFILE_NAMES,
  type Bands,
  type ProfileBands,
  type ProfileName,
} from 'telltale-engine/internal/check/types.js';
import { loadConfig } from '../../../config.js';
import { createEngine } from 'telltale-engine/internal/engine/native/engine.js';
import { DEVICE_NAMES } from 'telltale-engine/internal/engine/types.js';
import { loadDataset } from '../../../calibration/evaluation/dataset.js';
import { plotHistograms, type ThresholdMark, plotRoc } from '../../../calibration/evaluation/plots.js';
import { formatReport, formatScores } from '../../../calibration/evaluation/report-text.js';
import { DETECTORS, assembleReport, selectRows } from '../../../calibration/evaluation/report.js';
import {
  scoreImages,
  type ScoredImage,
  TIER_NAMES,
  type TierName,
} from '../../../calibration/evaluation/score-images.js';
import { visibleText } from 'telltale-engine/internal/base/visible-text.js';
import { PACKAGE_MODELS_DIR } from 'telltale-engine/internal/base/package-paths.js';
import { ProgressBar, type Terminal } from '../../terminal/terminal.js';
import { UsageError, readChoice, type ExitStatus } from '../command.js';

/** Runs the subcommand. `args` are the arguments after `models eval`. Rejects as `Command.run` does. */
export async function evaluateModels(args: string[], { out, err, signal }: Terminal): Promise<ExitStatus> {
  const { paths, tiers, jsonFile, scoresDir, plotsDir, modelsDir, bandsPath, engineOptions } =
    readOptions(args);
  const images = await loadDataset(paths, signal);
  const engine = await createEngine({ modelsDir, ...engineOptions });
  try {
    const bands = await loadBands(bandsPath, engine.model);
    const progress = new ProgressBar(err, images.length);
    const onImage = (): Promise<void> => progress.step();
    const scores = await scoreImages(images, { engine, tiers, signal, onImage });
    await progress.clear();
    const report = assembleReport(scores, bands, tiers);
    const json = `${JSON.stringify(report, null, 2)}\n`;
    if (scoresDir !== undefined) await writeScores(scoresDir, scores.scored, tiers);
    if (plotsDir !== undefined) await writePlots(plotsDir, scores.scored, tiers, bands);
    if (jsonFile !== undefined && jsonFile !== '-') await writeFile(jsonFile, json);
    if (jsonFile === '-') await out.write(json);
    else {
      for (const line of formatReport(report)) await out.writeLine(line);
      for (const [what, where] of [
        ['Report', jsonFile],
        ['Scores', scoresDir],
        ['Plots', plotsDir],
      ] as const)
        if (where !== undefined) await out.writeLine(`${what}: ${visibleText(where)}`);
    }
    return scores.failed.length === 0 ? 0 : 1;
  } finally {
    await engine.close();
  }
}

async function writeScores(
  folder: string,
  scored: readonly ScoredImage[],
  tiers: readonly TierName[],
): Promise<void> {
  await makeFolder(folder);
  for (const { id } of DETECTORS) {
    const rows = tiers.map((tier) => selectRows(scored, id, tier));
    await writeFile(join(folder, `${id}.csv`), formatScores(rows));
  }
}

async function writePlots(
  folder: string,
  scored: readonly ScoredImage[],
  tiers: readonly TierName[],
  bands: Bands,
): Promise<void> {
  await makeFolder(folder);
  for (const { id, member } of DETECTORS) {
    const rows = tiers.map((tier) => selectRows(scored, id, tier));
    await writeFile(join(folder, `${id}-roc.svg`), plotRoc(`${id}, ${bands.model}`, rows));
    const marks = PROFILE_NAMES.flatMap((name) => markThresholds(name, bands.profiles[name], member));
    for (const tierRows of rows) {
      const plot = plotHistograms(`${id}, ${bands.model}, ${tierRows.tier}`, tierRows, marks);
      await writeFile(join(folder, `${id}-${tierRows.tier}-scores.svg`), plot);
    }
  }
}

/** Returns a line to draw in a plot for each threshold of a detector in the profile. */
function markThresholds(
  name: ProfileName,
  { fullImage, face }: ProfileBands,
  member: (typeof DETECTORS)[number]['member'],
): ThresholdMark[] {
  if (member === 'face') return [{ name, threshold: face.threshold }];
  return MEDIUM_NAMES.map((medium) => ({
    name: `${name}, ${medium}`,
    threshold: fullImage[medium].threshold,
  }));
}

/** Degradation levels by name: the documented names, and the former names of the option `--tiers`. */
const LEVELS = { none: 'clean', web: 'web', heavy: 'hard', clean: 'clean', hard: 'hard' } as const;
const LEVEL_NAMES = ['none', 'web', 'heavy', 'clean', 'hard'] as const;

function readOptions(args: string[]) {
  const config = loadConfig();
  const { values, positionals: paths } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      levels: { type: 'string' },
      tiers: { type: 'string', default: 'none,web,heavy' },
      json: { type: 'string' },
      scores: { type: 'string' },
      plots: { type: 'string' },
      device: { type: 'string', default: config.device },
    },
  });
  if (paths.length === 0) throw new UsageError('Expected at least one folder or CSV file of labelled images');
  const names = (values.levels ?? values.tiers).split(',');
  const levels = new Set(names.map((name) => LEVELS[readChoice('--levels', name.trim(), LEVEL_NAMES)]));
  const modelsDir = config.modelsDir ?? PACKAGE_MODELS_DIR;
  return {
    paths,
    tiers: TIER_NAMES.filter((tier) => levels.has(tier)),
    jsonFile: values.json,
    scoresDir: values.scores,
    plotsDir: values.plots,
    modelsDir,
    bandsPath: config.bandsFile ?? join(modelsDir, 'bands.json'),
    engineOptions: {
      device: readChoice('--device', values.device, DEVICE_NAMES),
      threads: config.threads,
      ...(config.views !== null && { views: config.views }),
    },
  };
}
