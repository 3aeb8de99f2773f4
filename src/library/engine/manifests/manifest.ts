// Loading the models: reads their manifests (descriptions in JSON), verifies the hash of every file and
// passes validated numbers to the engine.
import { createHash, webcrypto } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../../base/errors.js';
import {
  readEncoder,
  readFaceDetector,
  readFaceSpecialist,
  type ModelFile,
  type NativeModel,
  readHead,
  type ColumnOf,
} from './read-models.js';
import {
  refuseInvalid,
  requireEncoder,
  requireFaceDetector,
  requireFaceSpecialist,
  requireFullImage,
  type FullImageManifest,
} from './schemas.js';
import type { EarlyExitBounds, ModelDigest, ModelId } from '../types.js';
import { logOdds } from '../../base/numbers.js';
import { describeInvalid } from '../../base/shape.js';

/**
 * The two networks (encoder and face detector) and the two specialists, which turn the encoder's output into
 * scores.
 */
export type NativeModels = Readonly<
  Record<'encoder' | 'fullImage' | 'faceDetector' | 'faceSpecialist', NativeModel>
>;

/** Models of one folder after validation. */
export interface LoadedModels {
  readonly models: NativeModels;
  /** Name of the models: `telltale-` and the version that the encoder and both specialists share. */
  readonly name: string;
  /** Number of crops per image; see `Engine.views`. */
  readonly views: number;
  /** Scores at which an image exits early; see `Engine.earlyExits`. */
  readonly earlyExits: readonly EarlyExitBounds[];
  /** Network files and manifests with their hashes. */
  readonly files: readonly ModelDigest[];
  /** SHA-256 over the hashes of the network files, as hex digits. It identifies the networks in caches. */
  readonly digest: string;
}

interface OpenManifest {
  readonly content: unknown;
  readonly digest: ModelDigest;
}

async function openManifest(modelsDir: string, id: ModelId): Promise<OpenManifest> {
  try {
    const text = await readFile(join(modelsDir, id, 'manifest.json'), 'utf8');
    const sha256 = createHash('sha256').update(text).digest('hex');
    return { content: JSON.parse(text), digest: { name: `${id}/manifest.json`, sha256 } };
  } catch (cause) {
    throw new StartError(
      'model_invalid',
      `The manifest of ${id} can't be read: ${(cause as Error).message}`,
      { cause },
    );
  }
}

async function verifyHash(modelsDir: string, id: ModelId, { file, sha256 }: ModelFile): Promise<void> {
  const name = `The file ${file} of ${id}`;
  let bytes: Buffer;
  try {
    bytes = await readFile(join(modelsDir, id, file));
  } catch (cause) {
    throw new StartError('model_invalid', `${name} can't be read: ${(cause as Error).message}`, { cause });
  }
  // Unlike createHash, this does not block the event loop while it hashes 77 MB.
  const actualHash = Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex');
  if (actualHash === sha256) return;
  throw new StartError(
    'model_invalid',
    `${name} does not match its manifest: its SHA-256 is ${actualHash} instead of ${sha256}`,
  );
}

/**
 * Reads the manifests below `modelsDir` and verifies the hashes of the network files without blocking the
 * event loop. `crops` is the number of crops per image, or null for the default with early exit. Throws
 * StartError `model_invalid` with every error of a manifest or the name of a damaged or missing file. Throws
 * `config_invalid` if the manifest allows no such number of crops.
 */
export async function loadModels(modelsDir: string, crops: number | null): Promise<LoadedModels> {
  const open = (id: ModelId) => openManifest(modelsDir, id);
  const manifests = await Promise.all([
    open('encoder'),
    open('face_detector'),
    open('full_image_specialist'),
    open('face_specialist'),
  ]);
  const [encoderContent, detectorContent, fullImageContent, faceContent] = manifests.map(
    ({ content }) => content,
  );
  const encoder = requireEncoder(encoderContent);
  const detector = requireFaceDetector(detectorContent);
  const specialist = requireFullImage(fullImageContent, encoder);
  refuseInvalid('full_image_specialist', findContradictions(specialist));
  const face = requireFaceSpecialist(faceContent, encoder);
  const { columns } = encoder.outputs;
  const columnOf = (column: string) => columns.indexOf(column);
  const { fullImage, ...plan } = readFullImage(specialist, columnOf, crops);
  const models = {
    encoder: readEncoder(encoder, ({ file }) => join(modelsDir, 'encoder', file)),
    fullImage,
    faceDetector: readFaceDetector(detector, ({ file }) => join(modelsDir, 'face_detector', file)),
    faceSpecialist: readFaceSpecialist(face, columnOf),
  };
  const { cpu, gpu, tensorrt, weights } = encoder.files;
  const ofEncoder = [cpu, gpu, ...(tensorrt ? [tensorrt] : []), weights];
  const files = [...ofEncoder.map((file) => ({ id: 'encoder', ...file }) as const), detector];
  await Promise.all(files.map((file) => verifyHash(modelsDir, file.id, file)));
  const digest = createHash('sha256');
  for (const { sha256 } of files) digest.update(sha256);
  return {
    models,
    name: `telltale-${encoder.version}`,
    ...plan,
    files: [
      ...files.map(({ id, file, sha256 }) => ({ name: `${id}/${file}`, sha256 })),
      ...manifests.map((manifest) => manifest.digest),
    ],
    digest: digest.digest('hex'),
  };
}

type CropPlan = FullImageManifest['plans'][number];
type EarlyStage = NonNullable<FullImageManifest['early_exit']>['rounds'][number];

/** The full image specialist (the detector that scores whole images) as the engine needs it. */
interface FullImage {
  readonly fullImage: NativeModel;
  /** Number of crops per image; see `Engine.views`. */
  readonly views: number;
  /** Scores at which an image exits early; see `Engine.earlyExits`. */
  readonly earlyExits: readonly EarlyExitBounds[];
}

/** Returns messages about fields that contradict each other. */
function findContradictions(manifest: FullImageManifest): readonly string[] {
  const { plans, default_views: standard, early_exit: early } = manifest;
  const whole = plans.find(({ views }) => views === standard);
  return [
    ...plans.flatMap((plan, index) => contradictionsOfPlan(manifest, plan, `plans.${index}`)),
    ...(whole ? [] : [describeInvalid('the views of one of the plans', 'default_views', standard)]),
    ...(early?.rounds ?? []).flatMap((stage, index, stages) => {
      const at = `early_exit.rounds.${index}`;
      return [
        ...contradictionsOfPlan(manifest, stage, at),
        ...contradictionsOfNeighbours(Object.keys(manifest.kinds), at, [stages[index - 1], stage, whole]),
        ...contradictionsOfBounds(stage.bounds, `${at}.bounds`),
      ];
    }),
  ];
}

function contradictionsOfPlan(
  { drawn }: FullImageManifest,
  { views, kinds }: CropPlan,
  at: string,
): string[] {
  const sum = Object.values(kinds).reduce((before, { count }) => before + count, 0);
  const hasDomain = drawn.kinds.some((name) => name in kinds);
  return [
    ...(sum === views ? [] : [describeInvalid('the sum of the counts', `${at}.views`, views)]),
    ...(hasDomain ? [] : [describeInvalid('views of one of drawn.kinds', `${at}.kinds`, kinds)]),
  ];
}

/** Finds stages that lack crops of the stage before or have crops that the last stage lacks. */
function contradictionsOfNeighbours(
  types: readonly string[],
  at: string,
  [before, stage, whole]: readonly [CropPlan | undefined, CropPlan, CropPlan | undefined],
): string[] {
  return types.flatMap((type) => {
    const count = stage.kinds[type]?.count ?? 0;
    const [least, most] = [before?.kinds[type]?.count ?? 0, whole?.kinds[type]?.count ?? 0];
    if (count >= least && count <= most) return [];
    const expected = `${least} to ${most}, between the counts of the neighbouring rounds,`;
    return [describeInvalid(expected, `${at}.kinds.${type}.count`, count)];
  });
}

function contradictionsOfBounds(bounds: EarlyExitBounds, at: string): string[] {
  return Object.entries(bounds)
    .filter(([, { below, above }]) => below >= above)
    .map(([domain, { below, above }]) =>
      describeInvalid(`a number over ${below}, which is below,`, `${at}.${domain}.above`, above),
    );
}

/**
 * Returns the crop plan (which crops are scored) with `crops` crops and no early exit. For null, returns the
 * default plan with early exit. Throws StartError `config_invalid` with the possible numbers if none fits.
 */
function readFullImage(manifest: FullImageManifest, columnOf: ColumnOf, crops: number | null): FullImage {
  const { kinds, drawn, part, panels, plans } = manifest;
  const plan = plans.find(({ views }) => views === (crops ?? manifest.default_views));
  if (plan === undefined) {
    const knownViews = plans.map(({ views }) => views).join(', ');
    throw new StartError('config_invalid', describeInvalid(`one of ${knownViews}`, 'views', crops));
  }
  const types = Object.keys(plan.kinds);
  const early = crops === null ? (manifest.early_exit?.rounds ?? []) : [];
  const region = {
    type: types.indexOf(part.kind),
    side: part.side,
    scale: [part.photographed.scale, part.drawn.scale],
    offset: [part.photographed.offset, part.drawn.offset],
  };
  return {
    fullImage: {
      cropTypes: types.map((type) => ({
        shortSidePx: kinds[type]?.short_side_px ?? 0,
        column: columnOf(kinds[type]?.column ?? ''),
        count: plan.kinds[type]?.count,
        decidesDomain: drawn.kinds.includes(type),
      })),
      stages: [...early.map((stage) => readStage(stage, types, oddsOf(stage))), readStage(plan, types, null)],
      drawn: readHead(drawn, columnOf),
      embeddedImages: { leastPx: panels.least_px, drawnOdds: panels.drawn_odds },
      region: region.type < 0 ? null : region,
    },
    views: plan.views,
    earlyExits: early.map(({ bounds }) => bounds),
  };
}

/** Reads a stage, after which a check may exit early. `types` are all crop types of the plan, in order. */
function readStage(
  { kinds, bias }: CropPlan,
  types: readonly string[],
  earlyExit: NativeModel | null,
): NativeModel {
  return { shares: types.map((type) => kinds[type] ?? { count: 0, weight: 0 }), bias, earlyExit };
}

function oddsOf({ bounds: { photographed, drawn } }: EarlyStage): NativeModel {
  return {
    below: [logOdds(photographed.below), logOdds(drawn.below)],
    above: [logOdds(photographed.above), logOdds(drawn.above)],
  };
}
