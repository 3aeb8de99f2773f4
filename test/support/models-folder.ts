// Copies the manifests of the packaged models to a folder where tests may change them.
import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StartError } from '../../src/library/base/errors.js';

/** Path of the packaged models. */
export const packagedModels = fileURLToPath(new URL('../../models', import.meta.url));

/** Paths of the network files, relative to the folder. */
export const NETWORK_FILES = [
  'encoder/cpu.onnx',
  'encoder/gpu.onnx',
  'encoder/tensorrt.onnx',
  'encoder/weights.bin',
  'face_detector/model.onnx',
] as const;

/** JSON of a manifest. The listed members are those that tests use. */
export interface Manifest {
  [member: string]: Manifest;
}

/** Returns a function that recognises an error about invalid models whose message matches `pattern`. */
export const isModelFault = (pattern: RegExp) => (error: unknown) =>
  error instanceof StartError && error.code === 'model_invalid' && pattern.test(error.message);

/** Returns the hash of a text, typed as a member of a manifest. */
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex') as never;

/** Creates the copy in a new folder. Its network files are placeholders, because they are never run. */
export async function copyManifests(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'telltale-models-'));
  for (const id of ['encoder', 'full_image_specialist', 'face_detector', 'face_specialist']) {
    await mkdir(join(folder, id));
    await copyFile(join(packagedModels, id, 'manifest.json'), join(folder, id, 'manifest.json'));
  }
  for (const file of NETWORK_FILES) await writeFile(join(folder, file), file);
  await editManifest(folder, 'encoder', ({ files }) => {
    for (const file of Object.values(files!)) file['sha256'] = hashOf(join('encoder', file['file'] as never));
  });
  await editManifest(folder, 'face_detector', (manifest) => {
    manifest['sha256'] = hashOf('face_detector/model.onnx');
  });
  return folder;
}

/** Changes a manifest of the copy. */
export async function editManifest(
  folder: string,
  id: string,
  change: (manifest: Manifest) => void,
): Promise<void> {
  const path = join(folder, id, 'manifest.json');
  const manifest = JSON.parse(await readFile(path, 'utf8')) as Manifest;
  change(manifest);
  await writeFile(path, JSON.stringify(manifest));
}
