// Delivery tiers: what happens to a picture on its way to the person who checks it.
import type { Engine } from '../../engine/types.js';

/** As the source has it; as web pages deliver it; as messengers leave it. */
export const TIER_NAMES = ['clean', 'web', 'hard'] as const;
/** One tier. */
export type TierName = (typeof TIER_NAMES)[number];

/** Published with the detectors' cards: the same numbers as in training and evaluation there. */
const RECOMPRESSION = {
  web: { longSidePx: 768, quality: 60 },
  hard: { longSidePx: 512, quality: 40 },
} as const;

/** The picture as it arrives in a tier; `clean` gives the same bytes. Rejects as `Engine.recompress`. */
export async function deliver(engine: Engine, bytes: Uint8Array, tier: TierName): Promise<Uint8Array> {
  return tier === 'clean' ? bytes : engine.recompress(bytes, RECOMPRESSION[tier]);
}
