// Scores of labelled images at every degradation level, by the engine.
import { pMapIterable } from 'p-map';
import type { Engine } from 'telltale-engine/internal/engine/types.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { readImage } from '../input-files/read-image.js';
import type { LabelledImage } from './dataset.js';

/** Scores of an image at one level. */
export interface ScoredImage {
  readonly picture: LabelledImage;
  readonly tier: TierName;
  /** Score of the full image, 0..1. */
  readonly fullImage: number;
  /** Probability that the image is an illustration, 0..1. */
  readonly drawn: number;
  /** Highest score of its faces of at least 64 px, 0..1, or null. */
  readonly face: number | null;
}

/** An image that could not be scored. */
export interface UnscoredImage {
  readonly picture: LabelledImage;
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
  /** Function that is called after each image. */
  readonly onImage: () => Promise<void>;
}

/**
 * Scores each image at each level. Ignores the limits of a check (256 px, JPEG quality 50), because they are rules of
 * the service and the heavy level uses quality 40. Rejects with the signal's reason.
 */
export async function scoreImages(images: readonly LabelledImage[], options: ScoreOptions): Promise<Scores> {
  const scored: ScoredImage[] = [];
  const failed: UnscoredImage[] = [];
  const concurrency = options.engine.stats().threads.decode + 1;
  for await (const result of pMapIterable(images, (picture) => scoreOne(picture, options), {
    concurrency,
  })) {
    if ('code' in result) failed.push(result);
    else scored.push(...result.rows);
    await options.onImage();
  }
  return { scored, failed };
}

async function scoreOne(
  picture: LabelledImage,
  { engine, tiers, signal }: ScoreOptions,
): Promise<{ readonly rows: readonly ScoredImage[] } | UnscoredImage> {
  try {
    const bytes = await readImage(picture.path, signal);
    const rows: ScoredImage[] = [];
    for (const tier of tiers) {
      const { fullImageScore, drawn, faces } = await engine.inspect(await deliver(engine, bytes, tier), {
        signal,
      });
      const face = faces.length === 0 ? null : Math.max(...faces.map(({ score }) => score));
      rows.push({ picture, tier, fullImage: fullImageScore, drawn, face });
    }
    return { rows };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof CheckError)) throw error;
    return { picture, code: error.code, message: error.message };
  }
}

/** Degradation levels: as published, as web pages deliver images, and as messengers do. */
export const TIER_NAMES = ['clean', 'web', 'hard'] as const;
/** Degradation level. */
export type TierName = (typeof TIER_NAMES)[number];

/** Published with the detectors' cards, and the same in the training code. */
const RECOMPRESSION = {
  web: { longSidePx: 768, quality: 60 },
  hard: { longSidePx: 512, quality: 40 },
} as const;

/** Degrades an image; `clean` returns the same bytes. Rejects as `Engine.recompress` does. */
async function deliver(engine: Engine, bytes: Uint8Array, tier: TierName): Promise<Uint8Array> {
  return tier === 'clean' ? bytes : engine.recompress(bytes, RECOMPRESSION[tier]);
}
