// Reads the models' manifests, proves each network's hash, and gives the engine complete and valid numbers.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { StartError } from '../errors.js';
import type { NativeFaceDetectorModel, NativeFaceSpecialistModel, NativeFullImageModel } from './binding.js';
import { complaint, isInteger, isNumber, isRecord, isText } from './expect.js';
import type { ModelId } from './types.js';

/** The three networks of a models folder, checked and ready for the engine. */
export interface LoadedModels {
  readonly fullImage: NativeFullImageModel;
  readonly faceDetector: NativeFaceDetectorModel;
  readonly faceSpecialist: NativeFaceSpecialistModel;
  /** SHA-256 of the hashes of the three networks, in hexadecimal digits. */
  readonly digest: string;
}

/** One manifest being read: `expect` takes a member by its dotted name and collects what is wrong with it. */
class ManifestReader {
  readonly faults: string[] = [];

  constructor(
    readonly id: ModelId,
    private readonly content: unknown,
  ) {}

  /** The member `name`, which `isValid` accepts; a fault otherwise, and then `undefined` in the guise of T. */
  expect<T>(name: string, expected: string, isValid: (value: unknown) => value is T): T {
    let value = this.content;
    for (const part of name.split('.')) value = isRecord(value) ? value[part] : undefined;
    if (!isValid(value)) this.faults.push(complaint(expected, name, value));
    return value as T;
  }

  text(name: string): string {
    return this.expect(name, 'a text', isText);
  }

  integer(name: string, least: number, most: number): number {
    return this.expect(name, `a whole number from ${least} to ${most}`, (value) =>
      isInteger(value, least, most),
    );
  }

  number(name: string, least?: number, most?: number): number {
    const range = least === undefined ? 'a number' : `a number from ${least} to ${most}`;
    return this.expect(name, range, (value): value is number => isNumber(value, least, most));
  }

  constant<T extends string | boolean>(name: string, only: T): T {
    return this.expect(
      name,
      typeof only === 'string' ? `'${only}'` : String(only),
      (value): value is T => value === only,
    );
  }
}

type Point = readonly [number, number];

function isTemplate(value: unknown): value is readonly Point[] {
  const isPoint = (point: unknown) =>
    Array.isArray(point) && point.length === 2 && point.every((x) => isNumber(x, -1, 2));
  return Array.isArray(value) && value.length === 5 && value.every(isPoint);
}

function readFullImage(reader: ManifestReader, path: string): NativeFullImageModel {
  reader.constant('views.selection', 'texture_grid');
  reader.constant('views.global', true);
  return {
    path,
    patchOutput: reader.text('outputs.patch'),
    globalOutput: reader.text('outputs.global'),
    sizePx: reader.integer('input.size_px', 32, 1024),
    maxPatches: reader.integer('views.max_patches', 1, 64),
    bias: reader.number('aggregate.bias'),
    mean: reader.number('aggregate.mean'),
    low: reader.number('aggregate.low'),
    lowPart: reader.integer('aggregate.low_part', 1, 64),
    global: reader.number('aggregate.global'),
    scale: reader.number('calibration.scale'),
    offset: reader.number('calibration.offset'),
  };
}

function readFaceDetector(reader: ManifestReader, path: string): NativeFaceDetectorModel {
  return {
    path,
    scoresOutput: reader.text('outputs.scores'),
    boxesOutput: reader.text('outputs.boxes'),
    pointsOutput: reader.text('outputs.points'),
    longSidePx: reader.integer('input.long_side_px', 32, 4096),
    multiple: reader.integer('input.multiple', 1, 128),
    scoreThreshold: reader.number('detect.score_threshold', 0, 1),
    nmsIou: reader.number('detect.nms_iou', 0, 1),
    maxFaces: reader.integer('detect.max_faces', 1, 10_000),
  };
}

function readFaceSpecialist(reader: ManifestReader, path: string): NativeFaceSpecialistModel {
  reader.constant('crop.border', 'replicate');
  return {
    path,
    logitOutput: reader.text('outputs.logit'),
    sizePx: reader.integer('input.size_px', 32, 1024),
    template: reader.expect('crop.template', 'five points [x, y] in shares of the crop', isTemplate),
    scale: reader.number('calibration.scale'),
    offset: reader.number('calibration.offset'),
  };
}

const isFileName = (value: unknown): value is string => isText(value) && /^[\w.-]+\.onnx$/.test(value);
const isSha256 = (value: unknown): value is string => isText(value) && /^[0-9a-f]{64}$/.test(value);

async function readJson(id: ModelId, path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    throw new StartError(
      'model_invalid',
      `The manifest of ${id} can't be read: ${(cause as Error).message}`,
      { cause },
    );
  }
}

async function verifyHash(id: ModelId, path: string, sha256: string): Promise<void> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  } catch (cause) {
    throw new StartError('model_invalid', `The network of ${id} can't be read: ${(cause as Error).message}`, {
      cause,
    });
  }
  const found = hash.digest('hex');
  if (found === sha256) return;
  throw new StartError(
    'model_invalid',
    `The network of ${id} is not the one of its manifest: its SHA-256 is ${found}, not ${sha256}`,
  );
}

async function loadModel<T>(
  modelsDir: string,
  id: ModelId,
  read: (reader: ManifestReader, path: string) => T,
): Promise<{ readonly model: T; readonly sha256: string }> {
  const folder = join(modelsDir, id);
  const reader = new ManifestReader(id, await readJson(id, join(folder, 'manifest.json')));
  reader.constant('id', id);
  const file = reader.expect('file', 'the name of an .onnx file beside it', isFileName);
  const sha256 = reader.expect('sha256', '64 hexadecimal digits', isSha256);
  reader.constant('input.name', 'pixels');
  reader.constant('input.type', 'uint8');
  reader.constant('input.layout', 'NHWC');
  reader.constant('input.color', 'RGB');
  const path = join(folder, file);
  const model = read(reader, path);
  if (reader.faults.length > 0) {
    throw new StartError(
      'model_invalid',
      `The manifest of ${id} is not sound:\n  ${reader.faults.join('\n  ')}`,
    );
  }
  await verifyHash(id, path, sha256);
  return { model, sha256 };
}

/**
 * Reads the three manifests below `modelsDir` and proves the hashes of their networks. Throws StartError
 * `model_invalid`, which lists every fault of a manifest at once.
 */
export async function loadModels(modelsDir: string): Promise<LoadedModels> {
  const [fullImage, faceDetector, faceSpecialist] = await Promise.all([
    loadModel(modelsDir, 'full_image_specialist', readFullImage),
    loadModel(modelsDir, 'face_detector', readFaceDetector),
    loadModel(modelsDir, 'face_specialist', readFaceSpecialist),
  ]);
  const digest = createHash('sha256');
  for (const { sha256 } of [fullImage, faceDetector, faceSpecialist]) digest.update(sha256);
  return {
    fullImage: fullImage.model,
    faceDetector: faceDetector.model,
    faceSpecialist: faceSpecialist.model,
    digest: digest.digest('hex'),
  };
}
