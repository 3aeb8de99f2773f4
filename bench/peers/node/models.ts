// The models of the project, as the Node peer loads them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as ort from 'onnxruntime-node';

const MODELS =
  process.env['TELLTALE_MODELS_DIR'] ?? fileURLToPath(new URL('../../../models', import.meta.url));

/** Members of the three manifests that are used here. */
export interface Manifests {
  readonly full: {
    readonly input: { readonly size_px: number };
    readonly outputs: { readonly patch: string; readonly global: string };
    readonly views: { readonly max_patches: number };
    readonly aggregate: Readonly<Record<'bias' | 'mean' | 'low' | 'low_part' | 'global', number>>;
    readonly calibration: Calibration;
  };
  readonly detector: {
    readonly input: { readonly long_side_px: number; readonly multiple: number };
    readonly outputs: { readonly scores: string; readonly boxes: string; readonly points: string };
    readonly detect: {
      readonly score_threshold: number;
      readonly nms_iou: number;
      readonly max_faces: number;
    };
  };
  readonly face: {
    readonly input: { readonly size_px: number };
    readonly outputs: { readonly logit: string };
    readonly crop: { readonly template: readonly (readonly [number, number])[] };
    readonly calibration: Calibration;
  };
}

/** score = sigmoid(scale * logit + offset). */
export interface Calibration {
  readonly scale: number;
  readonly offset: number;
}

/** Everything that is loaded once. */
export interface Models {
  readonly manifests: Manifests;
  readonly full: ort.InferenceSession;
  readonly detector: ort.InferenceSession;
  readonly face: ort.InferenceSession;
  readonly thresholds: { readonly full: number; readonly face: number };
}

/** Loads networks, manifests and the thresholds of the balanced profile. */
export async function loadModels(): Promise<Models> {
  const read = (name: string): unknown => JSON.parse(readFileSync(join(MODELS, name), 'utf8'));
  const load = (id: string): Promise<ort.InferenceSession> => {
    const { file } = read(`${id}/manifest.json`) as { file: string };
    // Many checks run at once: a thread each is 40% faster than the default, all cores for each.
    return ort.InferenceSession.create(join(MODELS, id, file), { intraOpNumThreads: 1 });
  };
  const bands = read('bands.json') as {
    profiles: { balanced: Record<'full_image_specialist' | 'face_specialist', { threshold: number }> };
  };
  const [full, detector, face] = await Promise.all([
    load('full_image_specialist'),
    load('face_detector'),
    load('face_specialist'),
  ]);
  return {
    manifests: {
      full: read('full_image_specialist/manifest.json') as Manifests['full'],
      detector: read('face_detector/manifest.json') as Manifests['detector'],
      face: read('face_specialist/manifest.json') as Manifests['face'],
    },
    full,
    detector,
    face,
    thresholds: {
      full: bands.profiles.balanced.full_image_specialist.threshold,
      face: bands.profiles.balanced.face_specialist.threshold,
    },
  };
}

/** The logit's calibrated score. */
export function toScore(logit: number, { scale, offset }: Calibration): number {
  return 1 / (1 + Math.exp(-(scale * logit + offset)));
}
