// `telltale models show`: printing the installed networks, after verifying their hashes, and the thresholds.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadBands } from 'telltale-engine/internal/check/thresholds/bands.js';
import { PROFILE_NAMES, type Bands } from 'telltale-engine/internal/check/types.js';
import { loadConfig } from '../../../config.js';
import { loadModels } from 'telltale-engine/internal/engine/manifests/manifest.js';
import type { ModelId } from 'telltale-engine/internal/engine/types.js';
import { PACKAGE_MODELS_DIR } from 'telltale-engine/internal/base/package-paths.js';
import { formatTable } from '../../../tables/columns.js';
import type { Terminal } from '../../terminal/terminal.js';
import { percentUp } from 'telltale-engine/internal/base/numbers.js';
import { visibleText } from 'telltale-engine/internal/base/visible-text.js';
import type { ExitStatus } from '../command.js';

/** A network's file, as printed. */
interface ShownFile {
  readonly file: string;
  readonly size_bytes: number;
  readonly sha256: string;
}

/** A network with its files, as printed. A specialist has no files. */
interface ShownModel {
  readonly id: ModelId;
  readonly version: string;
  readonly licence: string;
  /** Outputs that the encoder has, or that a specialist reads. */
  readonly columns: readonly string[];
  readonly files: readonly ShownFile[];
}

/** Fields of the manifests that are printed. `loadModels` has validated them. */
interface Manifest {
  readonly version?: string;
  readonly licence?: string;
  readonly file?: string;
  readonly sha256?: string;
  readonly files?: Readonly<Record<string, Pick<ShownFile, 'file' | 'sha256'>>>;
  readonly outputs?: { readonly columns?: readonly string[] };
  readonly kinds?: Readonly<Record<string, { readonly column: string }>>;
  readonly heads?: Readonly<Record<string, { readonly column: string }>>;
  readonly confirm?: { readonly column: string };
  readonly drawn?: { readonly column: string };
}

const MODEL_IDS: readonly ModelId[] = [
  'encoder',
  'face_detector',
  'full_image_specialist',
  'face_specialist',
];

/**
 * Runs the subcommand. `args` are the arguments after `models show`. Rejects as `Command.run` does, and with
 * StartError if a network is invalid.
 */
export async function showModels(args: string[], { out }: Terminal): Promise<ExitStatus> {
  const { values } = parseArgs({ args, options: { json: { type: 'boolean', default: false } } });
  const config = loadConfig();
  const modelsDir = config.modelsDir ?? PACKAGE_MODELS_DIR;
  const { name } = await loadModels(modelsDir, null);
  const bands = await loadBands(config.bandsFile ?? join(modelsDir, 'bands.json'), name);
  const models = await Promise.all(MODEL_IDS.map((id) => describeModel(modelsDir, id)));
  if (values.json) await out.writeLine(JSON.stringify({ ...describeBands(bands), models }, null, 2));
  else for (const line of formatModels(models, bands)) await out.writeLine(line);
  return 0;
}

async function describeModel(modelsDir: string, id: ModelId): Promise<ShownModel> {
  const folder = join(modelsDir, id);
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as Manifest;
  const { version = '', licence = '', file, sha256 = '' } = manifest;
  const files = Object.values(manifest.files ?? (file === undefined ? {} : { file: { file, sha256 } }));
  const heads = [
    ...Object.values(manifest.kinds ?? manifest.heads ?? {}),
    ...[manifest.confirm, manifest.drawn].filter((head) => head !== undefined),
  ];
  return {
    id,
    version,
    licence,
    columns: manifest.outputs?.columns ?? [...new Set(heads.map(({ column }) => column))],
    files: await Promise.all(
      files.map(async (modelFile) => ({
        file: modelFile.file,
        size_bytes: (await stat(join(folder, modelFile.file))).size,
        sha256: modelFile.sha256,
      })),
    ),
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
          full_image_specialist: {
            photographed: profiles[name].fullImage.photographed.threshold,
            drawn: profiles[name].fullImage.drawn.threshold,
          },
          face_specialist: profiles[name].face.threshold,
        },
      ]),
    ),
  };
}

function formatModels(models: readonly ShownModel[], bands: Bands): string[] {
  const about = ({ id, version, licence }: ShownModel): string[] => [
    id,
    visibleText(version),
    visibleText(licence),
  ];
  const fileRows = models.flatMap((model) =>
    model.files.map(({ file, size_bytes, sha256 }) => [
      ...about(model),
      file,
      `${(size_bytes / 1_000_000).toFixed(1)} MB`,
      sha256.slice(0, 16),
    ]),
  );
  const columnRows = models
    .filter(({ files }) => files.length === 0)
    .map((model) => [...about(model), model.columns.map(visibleText).join(', ')]);
  const bandRows = PROFILE_NAMES.map((name) => {
    const { fullImage, face } = bands.profiles[name];
    return [
      name,
      ...[fullImage.photographed, fullImage.drawn, face].flatMap((band) => [
        String(band.threshold),
        percentUp(band.falseAlarmRate),
      ]),
    ];
  });
  return [
    `${bands.model}, bands ${bands.version}`,
    '',
    ...formatTable([['NETWORK', 'VERSION', 'LICENCE', 'FILE', 'SIZE', 'SHA-256'], ...fileRows]),
    '',
    ...formatTable([['SPECIALIST', 'VERSION', 'LICENCE', 'COLUMNS OF THE ENCODER'], ...columnRows]),
    '',
    ...formatTable([
      ['PROFILE', 'PHOTOGRAPH FROM', 'FPR', 'ILLUSTRATION FROM', 'FPR', 'FACE FROM', 'FPR'],
      ...bandRows,
    ]),
  ];
}
