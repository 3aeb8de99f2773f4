// Loading the project's models for the Node baseline.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ort from 'onnxruntime-node';
import { modelsDir } from '../../machine/machine.js';

/** Fields of the four manifests that the baseline reads. */
export interface Manifests {
  readonly encoder: {
    readonly files: { readonly cpu: { readonly file: string } };
    readonly input: { readonly size_px: number };
    readonly outputs: { readonly logits: string; readonly columns: readonly string[] };
  };
  readonly full: {
    readonly kinds: Readonly<
      Record<string, { readonly short_side_px: number | null; readonly column: string }>
    >;
    /** log odds = scale * mean logit of the crops of these kinds + offset */
    readonly drawn: Head & { readonly kinds: readonly string[] };
    readonly default_views: number;
    readonly plans: readonly {
      readonly views: number;
      readonly kinds: Readonly<Record<string, { readonly count: number; readonly weight: number }>>;
      readonly bias: number;
    }[];
  };
  readonly detector: {
    readonly file: string;
    readonly input: { readonly long_side_px: number; readonly multiple: number };
    readonly outputs: { readonly scores: string; readonly boxes: string; readonly points: string };
    readonly detect: {
      readonly score_threshold: number;
      readonly nms_iou: number;
      readonly max_faces: number;
    };
  };
  readonly face: {
    readonly size_px: number;
    readonly crop: { readonly template: readonly (readonly [number, number])[] };
    /** log odds = scale * logit + offset */
    readonly heads: Readonly<Record<'manipulated' | 'generated', Head>>;
    readonly confirm: { readonly column: string; readonly least_logit: number };
  };
}

interface Head {
  readonly column: string;
  readonly scale: number;
  readonly offset: number;
}

/**
 * Returns the number of crops per image that the baselines and the upper bound use: all crops. Telltale itself stops
 * earlier if the result is already certain.
 */
export function readViews(): number {
  const text = readFileSync(join(modelsDir(), 'full_image_specialist/manifest.json'), 'utf8');
  return (JSON.parse(text) as Manifests['full']).default_views;
}

export interface Models {
  readonly manifests: Manifests;
  readonly encoder: ort.InferenceSession;
  readonly detector: ort.InferenceSession;
  readonly thresholds: {
    readonly photographed: number;
    readonly drawn: number;
    readonly face: number;
  };
}

/** Loads the networks, the manifests and the thresholds of the balanced profile. */
export async function loadModels(): Promise<Models> {
  const read = (name: string): unknown => JSON.parse(readFileSync(join(modelsDir(), name), 'utf8'));
  // Uses one thread per session. With many concurrent checks, this is 40% faster than the default of all cores.
  const load = (path: string): Promise<ort.InferenceSession> =>
    ort.InferenceSession.create(join(modelsDir(), path), { intraOpNumThreads: 1 });
  const manifests = {
    encoder: read('encoder/manifest.json') as Manifests['encoder'],
    full: read('full_image_specialist/manifest.json') as Manifests['full'],
    detector: read('face_detector/manifest.json') as Manifests['detector'],
    face: read('face_specialist/manifest.json') as Manifests['face'],
  };
  const bands = read('bands.json') as {
    profiles: {
      balanced: {
        full_image_specialist: Record<'photographed' | 'drawn', { threshold: number }>;
        face_specialist: { threshold: number };
      };
    };
  };
  const { full_image_specialist, face_specialist } = bands.profiles.balanced;
  const [encoder, detector] = await Promise.all([
    load(`encoder/${manifests.encoder.files.cpu.file}`),
    load(`face_detector/${manifests.detector.file}`),
  ]);
  return {
    manifests,
    encoder,
    detector,
    thresholds: {
      photographed: full_image_specialist.photographed.threshold,
      drawn: full_image_specialist.drawn.threshold,
      face: face_specialist.threshold,
    },
  };
}

/**
 * Returns the logits of one crop, by column of the encoder's output. Runs one crop at a time, because the encoder's
 * quantisation depends on all crops of a run.
 */
export async function encode(
  { manifests, encoder }: Models,
  view: Uint8Array,
): Promise<(column: string) => number> {
  const { input, outputs } = manifests.encoder;
  const shape = [1, input.size_px, input.size_px, 3];
  const run = await encoder.run({ pixels: new ort.Tensor('uint8', view, shape) });
  const logits = run[outputs.logits]!.data as Float32Array;
  return (column) => logits[outputs.columns.indexOf(column)]!;
}

export function toScore(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}

/**
 * Returns the threshold of an image that is drawn with probability `drawn`. Interpolates in log odds between the
 * thresholds for photographs and drawings, and rounds up to four decimals.
 */
export function imageThreshold({ thresholds }: Models, drawn: number): number {
  const share = Math.round(drawn * 10_000) / 10_000;
  const odds = (1 - share) * toLogOdds(thresholds.photographed) + share * toLogOdds(thresholds.drawn);
  return Math.ceil(toScore(odds) * 10_000 - 1e-6) / 10_000;
}

/** Converts a threshold to log odds, which are finite even for thresholds of 0 and 1. */
function toLogOdds(score: number): number {
  const inside = Math.min(Math.max(score, 1e-9), 1 - 1e-9);
  return Math.log(inside / (1 - inside));
}
