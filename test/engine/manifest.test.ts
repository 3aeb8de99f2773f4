// A models folder that is not sound stops the start, and every fault of a manifest is named.
import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadModels } from '../../src/engine/manifest.js';
import { StartError } from '../../src/errors.js';

const packaged = fileURLToPath(new URL('../../models', import.meta.url));
const isFault = (pattern: RegExp) => (error: unknown) =>
  error instanceof StartError && error.code === 'model_invalid' && pattern.test(error.message);

interface Manifest {
  [member: string]: Manifest;
}

describe('the manifests of the models', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'telltale-models-'));
    for (const id of ['full_image_specialist', 'face_detector', 'face_specialist']) {
      await cp(join(packaged, id), join(folder, id), { recursive: true });
    }
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Changes a manifest of the copy. */
  async function edit(id: string, change: (manifest: Manifest) => void): Promise<void> {
    const path = join(folder, id, 'manifest.json');
    const manifest = JSON.parse(await readFile(path, 'utf8')) as Manifest;
    change(manifest);
    await writeFile(path, JSON.stringify(manifest));
  }

  it('of the package are sound', async () => {
    const { fullImage, faceDetector, faceSpecialist } = await loadModels(packaged);
    assert.equal(fullImage.path, join(packaged, 'full_image_specialist', 'model.onnx'));
    assert.equal(faceSpecialist.template.length, 5);
    assert.ok(faceDetector.longSidePx % faceDetector.multiple === 0);
  });

  it('list all their faults at once', async () => {
    await edit('full_image_specialist', (manifest) => {
      manifest['input']!['size_px'] = '224' as never;
      delete manifest['aggregate'];
      manifest['views']!['selection'] = 'random' as never;
    });
    await assert.rejects(loadModels(folder), (error: StartError) => {
      assert.match(error.message, /^The manifest of full_image_specialist is not sound:\n/);
      assert.match(
        error.message,
        /Expected a whole number from 32 to 1024 for input.size_px but received '224' of type string/,
      );
      assert.match(error.message, /Expected a number for aggregate.bias but received undefined/);
      assert.match(
        error.message,
        /Expected 'texture_grid' for views.selection but received 'random' of type string/,
      );
      return error.code === 'model_invalid';
    });
  });

  it('name a template that has not five points', async () => {
    await edit('face_specialist', (manifest) => {
      manifest['crop']!['template'] = [[0.1, 0.2]] as never;
    });
    await assert.rejects(loadModels(folder), isFault(/five points .* for crop.template but received Array/));
  });

  it('may not lead out of their folder', async () => {
    await edit('face_detector', (manifest) => {
      manifest['file'] = '../face_specialist/model.onnx' as never;
    });
    await assert.rejects(loadModels(folder), isFault(/beside it for file/));
  });

  it('are refused where a network is another than the one they were written for', async () => {
    await truncate(join(folder, 'face_specialist', 'model.onnx'), 1000);
    await assert.rejects(
      loadModels(folder),
      isFault(/^The network of face_specialist is not the one of its manifest: its SHA-256 /),
    );
  });

  it('are refused where one is missing or no JSON', async () => {
    await writeFile(join(folder, 'face_detector', 'manifest.json'), '{ "id": ');
    await assert.rejects(loadModels(folder), isFault(/^The manifest of face_detector can't be read: /));
    await rm(join(folder, 'face_detector'), { recursive: true });
    await assert.rejects(loadModels(folder), isFault(/^The manifest of face_detector can't be read: ENOENT/));
  });
});
