// Meaning of a score as rates: the share of measured genuine and AI images that scored at least as high.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type, type Static } from '@sinclair/typebox';
import { StartError } from 'telltale-engine/internal/base/errors.js';
import { exactly, requireShape } from 'telltale-engine/internal/base/shape.js';
import type { SniffedImage } from 'telltale-engine/internal/engine/types.js';
import type { FiredShare, RecordedRates } from './schema-scores.js';

/** Scores of one class, lowest first. */
const Scores = Type.Array(Type.Number({ minimum: 0, maximum: 1 }));
/** Scores by kind and class. */
const Kinds = Type.Record(Type.String(), exactly({ genuine: Scores, ai: Scores }));

const RatesFile = exactly({
  id: Type.String(),
  /** `telltale-<semver>`. */
  model: Type.String(),
  tiers: exactly({ clean: Kinds, web: Kinds, hard: Kinds }),
});

/** Measured scores of a detector, by delivery of the images, kind and class. */
export type MeasuredScores = Pick<Static<typeof RatesFile>, 'model' | 'tiers'>;
type Tier = keyof MeasuredScores['tiers'];

/** Measured scores of both detectors; null for a detector whose scores the models folder lacks. */
export interface Measured {
  readonly fullImage: MeasuredScores | null;
  readonly face: MeasuredScores | null;
}

/** Minimum number of images for a rate. Chosen: with forty images, one image is 2.5%. */
const LEAST_IMAGES = 40;
/** Quantile of the normal distribution for a 95% interval. */
const Z = 1.959964;

/**
 * Reads the files that `python -m measure.rates` wrote next to the models. Ignores scores of another model than
 * `model`. Rejects with StartError `model_invalid` if a file is invalid.
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

/** Returns the best delivery tier that an image may belong to, by its size and JPEG quality. */
export function tierOf({ width, height, jpegQuality }: SniffedImage): Tier {
  const longSidePx = Math.max(width, height);
  if (longSidePx <= 512) return 'hard';
  return longSidePx <= 768 || (jpegQuality !== null && jpegQuality <= 60) ? 'web' : 'clean';
}

/** Returns the rates of `score` among all measured images of `tier`, and among the images of each of `kinds`. */
export function rateScore(
  { model, tiers }: MeasuredScores,
  score: number,
  tier: Tier,
  kinds: readonly string[],
): RecordedRates {
  const cells = Object.entries(tiers[tier]);
  const share = (wanted: (kind: string) => boolean, name: 'genuine' | 'ai'): FiredShare | null =>
    countFired(
      cells.filter(([kind]) => wanted(kind)).flatMap(([, classes]) => classes[name]),
      score,
    );
  const row = (kind: string, wanted: (kind: string) => boolean) => ({
    kind,
    genuine: share(wanted, 'genuine'),
    ai: share(wanted, 'ai'),
  });
  return {
    model,
    tier,
    kinds: [row('all', () => true), ...kinds.map((name) => row(name, (kind) => kind === name))],
  };
}

/** Returns null if fewer than forty scores are known. */
function countFired(scores: readonly number[], score: number): FiredShare | null {
  const pictures = scores.length;
  if (pictures < LEAST_IMAGES) return null;
  const fired = scores.filter((one) => one >= score).length;
  const rate = fired / pictures;
  // Uses Wilson's interval, which is valid even if few or no images scored as high.
  const spread = Z ** 2 / pictures;
  const centre = (rate + spread / 2) / (1 + spread);
  const half = Math.sqrt(rate * (1 - rate) * spread + (spread / 2) ** 2) / (1 + spread);
  const round = (share: number): number => Math.round(Math.min(1, Math.max(0, share)) * 1e6) / 1e6;
  return { pictures, fired, rate: round(rate), low: round(centre - half), high: round(centre + half) };
}
