// The shipped detectors' scores of labelled images, in every tier, by the engine itself.
import { pMapIterable } from 'p-map';
import type { Engine } from 'telltale-engine/internal/engine/types.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { readImage } from '../input-files/read-image.js';
import type { LabelledImage } from './dataset.js';

/** What the detectors say of one image in one tier. */
export interface ScoredImage {
  readonly picture: LabelledImage;
  readonly tier: TierName;
  /** 0..1. */
  readonly fullImage: number;
  /** Probability that it is drawn, 0..1. */
  readonly drawn: number;
  /** Highest score of its faces of 64 px and over, 0..1; null if there is none. */
  readonly face: number | null;
}

/** An image that could not be scored. */
export interface UnscoredImage {
  readonly picture: LabelledImage;
  readonly code: string;
  readonly message: string;
}

/** Everything that was scored, and what was not. */
export interface Scores {
  readonly scored: readonly ScoredImage[];
  readonly failed: readonly UnscoredImage[];
}

/** What scoring needs. */
interface ScoreOptions {
  readonly engine: Engine;
  readonly tiers: readonly TierName[];
  readonly signal: AbortSignal;
  /** Called after each image. */
  readonly onImage: () => Promise<void>;
}

/**
 * Inspects each image in each tier. The limits of a check (256 px, JPEG quality 50) do not apply. They are rules of
 * the service, while this measures the detectors, also on the hard tier's quality 40. Rejects with the signal's reason.
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

/** As the source has it; as web pages deliver it; as messengers leave it. */
export const TIER_NAMES = ['clean', 'web', 'hard'] as const;
/** One tier. */
export type TierName = (typeof TIER_NAMES)[number];

/** Published with the detectors' cards: the same numbers as in training and evaluation there. */
const RECOMPRESSION = {
  web: { longSidePx: 768, quality: 60 },
  hard: { longSidePx: 512, quality: 40 },
} as const;

/** The image as it arrives in a tier; `clean` gives the same bytes. Rejects as `Engine.recompress`. */
async function deliver(engine: Engine, bytes: Uint8Array, tier: TierName): Promise<Uint8Array> {
  return tier === 'clean' ? bytes : engine.recompress(bytes, RECOMPRESSION[tier]);
}
