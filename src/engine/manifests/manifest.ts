// Loads the models: reads their manifests, proves the hash of every file, gives the engine complete and valid numbers.
import { createHash, webcrypto } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { StartError } from '../../base/errors.js';
import { isText } from '../../base/validation.js';
import { ManifestReader } from './manifest-reader.js';
import { readFullImage } from './read-full-image.js';
import {
  readEncoder,
  readFaceDetector,
  readFaceSpecialist,
  type ModelFile,
  type NativeModel,
} from './read-models.js';
import type { EarlyExitBounds, ModelDigest, ModelId } from '../types.js';

const isVersion = (value: unknown): value is string => isText(value) && /^\d+\.\d+\.\d+$/.test(value);

/** The two networks and the two specialists that read the encoder's columns. */
export type NativeModels = Readonly<
  Record<'encoder' | 'fullImage' | 'faceDetector' | 'faceSpecialist', NativeModel>
>;

/** The models of a folder, checked and ready for the engine. */
export interface LoadedModels {
  readonly models: NativeModels;
  /** `telltale-` and the version that the encoder and both specialists share. */
  readonly name: string;
  /** As `Engine.views`. */
  readonly views: number;
  /** As `Engine.earlyExits`. */
  readonly earlyExits: readonly EarlyExitBounds[];
  /** The networks' files and the manifests. */
  readonly files: readonly ModelDigest[];
  /** SHA-256 of the hashes of the networks' files, in hexadecimal digits. */
  readonly digest: string;
}

/** A manifest being read, and its digest. */
interface OpenManifest {
  readonly reader: ManifestReader;
  readonly digest: ModelDigest;
}

async function openManifest(modelsDir: string, id: ModelId): Promise<OpenManifest> {
  try {
    const text = await readFile(join(modelsDir, id, 'manifest.json'), 'utf8');
    const reader = new ManifestReader(id, JSON.parse(text));
    reader.constant('id', id);
    reader.allowNotes('version', 'training_data', 'licence');
    const sha256 = createHash('sha256').update(text).digest('hex');
    return { reader, digest: { name: `${id}/manifest.json`, sha256 } };
  } catch (cause) {
    throw new StartError(
      'model_invalid',
      `The manifest of ${id} can't be read: ${(cause as Error).message}`,
      { cause },
    );
  }
}

async function verifyHash(id: ModelId, { path, sha256 }: ModelFile): Promise<void> {
  const name = `The file ${basename(path)} of ${id}`;
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (cause) {
    throw new StartError('model_invalid', `${name} can't be read: ${(cause as Error).message}`, { cause });
  }
  // Unlike createHash, which would hold the event loop up for 77 MB.
  const found = Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex');
  if (found === sha256) return;
  throw new StartError(
    'model_invalid',
    `${name} is not the one of its manifest: its SHA-256 is ${found}, not ${sha256}`,
  );
}

/**
 * The version of the encoder; an error if a specialist's is another: its numbers are for the encoder that it came with.
 */
function readVersion(encoder: ManifestReader, specialists: readonly ManifestReader[]): string {
  const version = encoder.expect('version', 'a version such as 2.1.0', isVersion);
  encoder.finish();
  for (const specialist of specialists) {
    specialist.constant('version', version);
    specialist.finish();
  }
  return version;
}

/**
 * Reads the manifests below `modelsDir` and proves the hashes of the networks' files, off the event loop. `crops`: how
 * many crops of an image the encoder sees; null: those of the full image specialist, in its stages. Throws StartError
 * `model_invalid`, which lists every error of a manifest at once, or names the file that is damaged or missing. Throws
 * `config_invalid` if there is no plan of so many crops.
 */
export async function loadModels(modelsDir: string, crops: number | null): Promise<LoadedModels> {
  const open = (id: ModelId) => openManifest(modelsDir, id);
  const manifests = await Promise.all([
    open('encoder'),
    open('face_detector'),
    open('full_image_specialist'),
    open('face_specialist'),
  ]);
  const [
    { reader: encoderReader },
    { reader: detectorReader },
    { reader: fullImageReader },
    { reader: faceReader },
  ] = manifests;
  const version = readVersion(encoderReader, [fullImageReader, faceReader]);
  const encoder = readEncoder(encoderReader, join(modelsDir, 'encoder'));
  const detector = readFaceDetector(detectorReader, join(modelsDir, 'face_detector'));
  const name = `telltale-${version}`;
  const { fullImage, ...plan } = readFullImage(fullImageReader, encoder, { name, crops });
  const models = {
    encoder: encoder.model,
    fullImage,
    faceDetector: detector.model,
    faceSpecialist: readFaceSpecialist(faceReader, encoder),
  };
  await Promise.all([
    ...encoder.files.map((file) => verifyHash('encoder', file)),
    ...detector.files.map((file) => verifyHash('face_detector', file)),
  ]);
  const digest = createHash('sha256');
  for (const { sha256 } of [...encoder.files, ...detector.files]) digest.update(sha256);
  const nameFile = (id: ModelId, { path, sha256 }: ModelFile): ModelDigest => ({
    name: `${id}/${basename(path)}`,
    sha256,
  });
  return {
    models,
    name,
    ...plan,
    files: [
      ...encoder.files.map((file) => nameFile('encoder', file)),
      ...detector.files.map((file) => nameFile('face_detector', file)),
      ...manifests.map((manifest) => manifest.digest),
    ],
    digest: digest.digest('hex'),
  };
}
