// Loading the models: reads their manifests (descriptions in JSON), verifies the hash of every file and
// passes validated numbers to the engine.
import { createHash, webcrypto } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../../base/errors.js';
import { findContradictions, readFullImage } from './read-full-image.js';
import {
  readEncoder,
  readFaceDetector,
  readFaceSpecialist,
  type ModelFile,
  type NativeModel,
} from './read-models.js';
import {
  refuseInvalid,
  requireEncoder,
  requireFaceDetector,
  requireFaceSpecialist,
  requireFullImage,
} from './schemas.js';
import type { EarlyExitBounds, ModelDigest, ModelId } from '../types.js';

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
    `${name} is not the one of its manifest: its SHA-256 is ${actualHash}, not ${sha256}`,
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
