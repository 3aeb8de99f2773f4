// Scores labelled images with the engine at every degradation level.
import { pMapIterable } from 'p-map';
import type { Engine } from 'telltale-engine/internal/engine/types.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { readImage } from '../input-files/read-image.js';
import type { LabelledImage } from './dataset.js';

/** Scores of an image at one degradation level. */
export interface ScoredImage {
  readonly image: LabelledImage;
  readonly tier: TierName;
  /** Score of the full-image detector, 0..1. */
  readonly fullImage: number;
  /** Probability that the image is an illustration, 0..1. */
  readonly drawn: number;
  /** Highest score among the image's faces of at least 64 px, 0..1; null without such a face. */
  readonly face: number | null;
}

/** An image that could not be scored, with the error. */
export interface UnscoredImage {
  readonly image: LabelledImage;
  readonly code: string;
  readonly message: string;
}

/** Scored images, and images that could not be scored. */
export interface Scores {
  readonly scored: readonly ScoredImage[];
  readonly failed: readonly UnscoredImage[];
}

/** Options of `scoreImages`. */
interface ScoreOptions {
  readonly engine: Engine;
  readonly tiers: readonly TierName[];
  readonly signal: AbortSignal;
  /** Called after each image, to show progress. */
  readonly onImage: () => Promise<void>;
}

/**
 * Scores each image at each degradation level. Ignores the limits of a check (256 px, JPEG quality 50): they are rules
 * of the service, and the level `hard` uses quality 40. Rejects with the signal's reason.
 */
export async function scoreImages(images: readonly LabelledImage[], options: ScoreOptions): Promise<Scores> {
  const scored: ScoredImage[] = [];
  const failed: UnscoredImage[] = [];
  const concurrency = options.engine.stats().threads.decode + 1;
  for await (const result of pMapIterable(images, (image) => scoreOne(image, options), {
    concurrency,
  })) {
    if ('code' in result) failed.push(result);
    else scored.push(...result.rows);
    await options.onImage();
  }
  return { scored, failed };
}

async function scoreOne(
  image: LabelledImage,
  { engine, tiers, signal }: ScoreOptions,
): Promise<{ readonly rows: readonly ScoredImage[] } | UnscoredImage> {
  try {
    const bytes = await readImage(image.path, signal);
    const rows: ScoredImage[] = [];
    for (const tier of tiers) {
      const { fullImageScore, drawn, faces } = await engine.inspect(await applyTier(engine, bytes, tier), {
        signal,
      });
      const face = faces.length === 0 ? null : Math.max(...faces.map(({ score }) => score));
      rows.push({ image, tier, fullImage: fullImageScore, drawn, face });
    }
    return { rows };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof CheckError)) throw error;
    return { image, code: error.code, message: error.message };
  }
}

/** Degradation levels: `clean` as published, `web` as web pages deliver images, `hard` as messengers do. */
export const TIER_NAMES = ['clean', 'web', 'hard'] as const;
/** Name of a degradation level: how an image is processed before it is scored. */
export type TierName = (typeof TIER_NAMES)[number];

/** Size and JPEG quality of the levels, the same as in the detectors' cards and the training code. */
const RECOMPRESSION = {
  web: { longSidePx: 768, quality: 60 },
  hard: { longSidePx: 512, quality: 40 },
} as const;

/** Degrades an image to a level; `clean` returns the same bytes. Rejects like `Engine.recompress`. */
async function applyTier(engine: Engine, bytes: Uint8Array, tier: TierName): Promise<Uint8Array> {
  return tier === 'clean' ? bytes : engine.recompress(bytes, RECOMPRESSION[tier]);
}
