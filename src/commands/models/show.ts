// `telltale models show`: the networks that are installed, proved against their manifests, and the thresholds.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadBands } from '../../check/bands.js';
import { PROFILE_NAMES, type Bands } from '../../check/types.js';
import { loadConfig } from '../../config.js';
import { loadModels } from '../../engine/manifest.js';
import type { ModelId } from '../../engine/types.js';
import { PACKAGE_MODELS_DIR } from '../../package-paths.js';
import { formatTable } from '../../terminal/columns.js';
import type { Terminal } from '../../terminal/terminal.js';
import { visibleText } from '../../terminal/visible-text.js';
import type { ExitStatus } from '../command.js';

const MODEL_IDS: readonly ModelId[] = ['full_image_specialist', 'face_detector', 'face_specialist'];

/** One network as it is shown. */
interface ShownModel {
  readonly id: ModelId;
  readonly version: string;
  readonly licence: string;
  readonly file: string;
  readonly size_bytes: number;
  readonly sha256: string;
}

/** Runs with the arguments after `models show`. Rejects as a Command does; StartError where a network is not sound. */
export async function showModels(args: string[], { out }: Terminal): Promise<ExitStatus> {
  const { values } = parseArgs({ args, options: { json: { type: 'boolean', default: false } } });
  const modelsDir = loadConfig().modelsDir ?? PACKAGE_MODELS_DIR;
  const bands = await loadBands(join(modelsDir, 'bands.json'));
  await loadModels(modelsDir);
  const models = await Promise.all(MODEL_IDS.map((id) => describeModel(modelsDir, id)));
  if (values.json) await out.writeLine(JSON.stringify({ ...describeBands(bands), models }, null, 2));
  else for (const line of formatModels(models, bands)) await out.writeLine(line);
  return 0;
}

async function describeModel(modelsDir: string, id: ModelId): Promise<ShownModel> {
  const folder = join(modelsDir, id);
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as Record<
    string,
    unknown
  >;
  const text = (name: string): string => {
    const value = manifest[name];
    return typeof value === 'string' ? value : '';
  };
  const { size } = await stat(join(folder, text('file')));
  return {
    id,
    version: text('version'),
    licence: text('licence'),
    file: text('file'),
    size_bytes: size,
    sha256: text('sha256'),
  };
}

function describeBands({ model, version, profiles }: Bands): object {
  return {
    model,
    bands_version: version,
    thresholds: Object.fromEntries(
      PROFILE_NAMES.map((name) => [
        name,
        {
          full_image_specialist: profiles[name].fullImage.threshold,
          face_specialist: profiles[name].face.threshold,
        },
      ]),
    ),
  };
}

function formatModels(models: readonly ShownModel[], bands: Bands): string[] {
  const modelRows = models.map(({ id, version, licence, size_bytes, sha256 }) => [
    id,
    visibleText(version),
    visibleText(licence),
    `${(size_bytes / 1_000_000).toFixed(1)} MB`,
    sha256.slice(0, 16),
  ]);
  const bandRows = PROFILE_NAMES.map((name) => {
    const { fullImage, face } = bands.profiles[name];
    return [
      name,
      ...[fullImage, face].flatMap((band) => [String(band.threshold), percent(band.falseAlarmRate)]),
    ];
  });
  return [
    `${bands.model}, bands ${bands.version}`,
    '',
    ...formatTable([['NETWORK', 'VERSION', 'LICENCE', 'SIZE', 'SHA-256'], ...modelRows]),
    '',
    ...formatTable([
      ['PROFILE', 'WHOLE PICTURE FROM', 'FALSE ALARMS', 'FACE FROM', 'FALSE ALARMS'],
      ...bandRows,
    ]),
  ];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)}%`;
}
