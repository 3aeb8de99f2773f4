// The Node peer's check: sharp decodes, onnxruntime-node infers, thresholds decide.
import * as ort from 'onnxruntime-node';
import { cropFace, findFaces } from './faces.js';
import { loadModels, toScore, type Models } from './models.js';
import { copyPatch, padToSize, selectPatches } from './patches.js';
import { decode, resize, type Pixels } from './pixels.js';

/** The part of a check's result that peers give. */
export interface PeerResult {
  readonly is_ai: boolean;
  readonly fired: readonly string[];
  readonly face_found: boolean;
  readonly scores: { readonly full_image_specialist: number; readonly face_specialist: number | null };
}

/** Loads the models and gives a function that checks one picture; many may run at once. */
export async function createPeer(): Promise<(bytes: Uint8Array) => Promise<PeerResult>> {
  const models = await loadModels();
  return async (bytes) => {
    const pixels = await decode(bytes);
    const [full, face] = await Promise.all([scorePicture(pixels, models), scoreFaces(pixels, models)]);
    const fired = [
      ...(full >= models.thresholds.full ? ['full_image_specialist'] : []),
      ...(face !== null && face >= models.thresholds.face ? ['face_specialist'] : []),
    ];
    return {
      is_ai: fired.length > 0,
      fired,
      face_found: face !== null,
      scores: { full_image_specialist: full, face_specialist: face },
    };
  };
}

async function scorePicture(pixels: Pixels, { manifests, full }: Models): Promise<number> {
  const { input, outputs, views, aggregate, calibration } = manifests.full;
  const size = input.size_px;
  const rowSize = size * size * 3;
  const padded = await padToSize(pixels, size);
  const corners = selectPatches(padded, size, views.max_patches);
  const data = new Uint8Array((corners.length + 1) * rowSize);
  corners.forEach((corner, index) => copyPatch(padded, corner, size, data.subarray(index * rowSize)));
  data.set((await resize(pixels, size, size)).data, corners.length * rowSize);
  const run = await full.run({ pixels: new ort.Tensor('uint8', data, [corners.length + 1, size, size, 3]) });
  const patches = [...(run[outputs.patch]!.data as Float32Array)].slice(0, corners.length);
  const global = (run[outputs.global]!.data as Float32Array)[corners.length]!;
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const low = [...patches].sort((a, b) => a - b).slice(0, Math.ceil(patches.length / aggregate.low_part));
  const logit =
    aggregate.bias + aggregate.mean * mean(patches) + aggregate.low * mean(low) + aggregate.global * global;
  return toScore(logit, calibration);
}

/** The highest score of a face; null where there is none. */
async function scoreFaces(pixels: Pixels, models: Models): Promise<number | null> {
  const faces = await findFaces(pixels, models);
  if (faces.length === 0) return null;
  const { input, outputs, calibration } = models.manifests.face;
  const rowSize = input.size_px ** 2 * 3;
  const data = new Uint8Array(faces.length * rowSize);
  await Promise.all(
    faces.map(({ points }, index) =>
      cropFace(pixels, points, models, data.subarray(index * rowSize, (index + 1) * rowSize)),
    ),
  );
  const shape = [faces.length, input.size_px, input.size_px, 3];
  const run = await models.face.run({ pixels: new ort.Tensor('uint8', data, shape) });
  return Math.max(
    ...[...(run[outputs.logit]!.data as Float32Array)].map((logit) => toScore(logit, calibration)),
  );
}
