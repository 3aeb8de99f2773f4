// Explaining a score by rates: the shares of measured genuine and AI images that score at least as high.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type, type Static } from '@sinclair/typebox';
import { StartError } from 'telltale-engine/internal/base/errors.js';
import { exactly, requireShape } from 'telltale-engine/internal/base/shape.js';
import type { SniffedImage } from 'telltale-engine/internal/engine/types.js';
import type { FiredShare, RecordedRates } from './schema-sections.js';

/** Measured scores of genuine images, or of AI images, lowest first. */
const Scores = Type.Array(Type.Number({ minimum: 0, maximum: 1 }));
/** Measured scores by kind of image, separately for genuine and AI images. */
const Kinds = Type.Record(Type.String(), exactly({ genuine: Scores, ai: Scores }));

const RatesFile = exactly({
  id: Type.String(),
  /** Name of the models that were measured: `telltale-<semver>`. */
  model: Type.String(),
  tiers: exactly({ clean: Kinds, web: Kinds, hard: Kinds }),
});

/** Measured scores of a detector, by degradation level, kind of image, and genuine or AI. */
export type MeasuredScores = Pick<Static<typeof RatesFile>, 'model' | 'tiers'>;
type Tier = keyof MeasuredScores['tiers'];

/** Measured scores of both detectors. Null for a detector that was not measured with these models. */
export interface Measured {
  readonly fullImage: MeasuredScores | null;
  readonly face: MeasuredScores | null;
}

/** Minimum number of images for a rate. With forty images, a single image is 2.5%. */
const MIN_IMAGES = 40;
/** Number of standard deviations on each side of a 95% confidence interval. */
const Z = 1.959964;

/**
 * Reads the measured scores that `python -m measure.rates` wrote into the models folder. Ignores scores of
 * other models than `model`. Rejects with StartError `model_invalid` if a file is invalid.
 */
export async function loadMeasured(modelsDir: string, model: string): Promise<Measured> {
  const load = async (id: string): Promise<MeasuredScores | null> => {
    const path = join(modelsDir, id, 'rates.json');
    const text = await readFile(path, 'utf8').catch(() => null);
    if (text === null) return null;
    const measured = parseMeasured(text, path);
    return measured.model === model ? measured : null;
  };
  return { fullImage: await load('full_image_specialist'), face: await load('face_specialist') };
}

function parseMeasured(text: string, path: string): MeasuredScores {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new StartError('model_invalid', `the rates in ${path} can't be read: ${String(cause)}`, { cause });
  }
  return requireShape(
    RatesFile,
    value,
    ({ text: fault }) => new StartError('model_invalid', `the rates in ${path} are invalid: ${fault}`),
  );
}

/** Returns the mildest degradation level that an image's size and JPEG quality allow. */
export function tierOf({ width, height, jpegQuality }: SniffedImage): Tier {
  const longSidePx = Math.max(width, height);
  if (longSidePx <= 512) return 'hard';
  return longSidePx <= 768 || (jpegQuality !== null && jpegQuality <= 60) ? 'web' : 'clean';
}

/** Returns the shares of measured images that score at least `score` at the degradation level `tier`: overall and by kind. */
export function rateScore(
  { model, tiers }: MeasuredScores,
  score: number,
  tier: Tier,
  kinds: readonly string[],
): RecordedRates {
  const cells = Object.entries(tiers[tier]);
  const share = (isOfKind: (kind: string) => boolean, name: 'genuine' | 'ai'): FiredShare | null =>
    countFired(
      cells.filter(([kind]) => isOfKind(kind)).flatMap(([, classes]) => classes[name]),
      score,
    );
  const row = (kind: string, isOfKind: (kind: string) => boolean) => ({
    kind,
    genuine: share(isOfKind, 'genuine'),
    ai: share(isOfKind, 'ai'),
  });
  return {
    model,
    tier,
    kinds: [row('all', () => true), ...kinds.map((name) => row(name, (kind) => kind === name))],
  };
}

/** Returns the share of scores that are at least `score`, or null for fewer than forty scores. */
function countFired(scores: readonly number[], score: number): FiredShare | null {
  const images = scores.length;
  if (images < MIN_IMAGES) return null;
  const fired = scores.filter((one) => one >= score).length;
  const rate = fired / images;
  // Wilson's confidence interval, which is valid even if very few images score as high.
  const spread = Z ** 2 / images;
  const centre = (rate + spread / 2) / (1 + spread);
  const half = Math.sqrt(rate * (1 - rate) * spread + (spread / 2) ** 2) / (1 + spread);
  const round = (share: number): number => Math.round(Math.min(1, Math.max(0, share)) * 1e6) / 1e6;
  return {
    pictures: images,
    fired,
    rate: round(rate),
    low: round(centre - half),
    high: round(centre + half),
  };
}
