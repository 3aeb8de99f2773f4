// Scores an operator's own images for a calibration. Leaves out duplicates and images that a check would refuse.
import { pMapIterable } from 'p-map';
import { admitHeader } from 'telltale-engine/internal/check/limits.js';
import { roundScore } from 'telltale-engine/internal/check/rounding.js';
import type { Engine, InspectOptions } from 'telltale-engine/internal/engine/types.js';
import type { ErrorCode } from 'telltale-engine/internal/base/error-codes.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { LabelledImage } from '../evaluation/dataset.js';
import { readImage } from '../input-files/read-image.js';
import { countOf } from 'telltale-engine/internal/base/count.js';
import { digestBytes } from 'telltale-engine/internal/base/digest.js';
import { findNearCopies } from 'telltale-engine/internal/base/perceptual-hash.js';
import { visibleText } from 'telltale-engine/internal/base/visible-text.js';

/** Maximum number of images: about an hour of work for two cores. More images would hardly change the thresholds. */
export const MOST_IMAGES = 20_000;

/** Longer side of the image for the perceptual hash, in pixels. The hash shrinks the image to 32 × 32 px. */
const HASHED_PX = 64;

/** Error codes that do not depend on the image. */
const NOT_THE_IMAGE: readonly ErrorCode[] = ['overloaded', 'unavailable'];

/** Share of near-duplicates above which the operator is warned. */
const MANY_NEAR_COPIES = 0.1;
/** Maximum number of file names in a warning. */
const SHOWN = 5;

/** An image with its scores. */
export interface SeenImage extends LabelledImage {
  readonly sha256: string;
  /** Score of the full-image detector, 0..1. */
  readonly fullImage: number;
  /** Probability that the image is an illustration, 0..1 with four decimals. */
  readonly drawn: number;
  /** Highest score of the image's faces, 0..1; null if it has no face. */
  readonly face: number | null;
  /** Perceptual hash of 16 hex digits, which differs by few bits between near-duplicates; null if unavailable. */
  readonly perceptualHash: string | null;
}

/** An image that a check would refuse, with the reason. */
interface RefusedImage {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** Result of `seeImages`. */
export interface SeenImages {
  /** Scored images, without duplicates. */
  readonly seen: readonly SeenImage[];
  readonly refused: readonly RefusedImage[];
  /** Paths of exact duplicates of other images. */
  readonly copies: readonly string[];
  /** Paths of animations. Only their first frame was scored. */
  readonly animations: readonly string[];
  /** Paths of duplicates with different labels. None of them is in `seen`. */
  readonly contradictions: readonly string[];
  /** Paths of images left out because one account or all together have too many. */
  readonly surplus: readonly string[];
}

/** Options of `seeImages`. */
interface SeeOptions {
  readonly engine: Engine;
  /** Limits for each image; the signal stops all work. */
  readonly limits: InspectOptions & { readonly signal: AbortSignal };
  /** Reads an image; default: the file at its path. Rejects with CheckError if the image is unavailable. */
  readonly read?: (picture: LabelledImage, signal: AbortSignal) => Promise<Uint8Array>;
  /** Number of images read and scored concurrently. Default: enough to keep the engine busy. */
  readonly concurrency?: number;
  /** Called after each image, to show progress. */
  readonly onImage: () => Promise<void>;
}

/** Scores the images. Rejects with the signal's reason, or with an error that does not depend on an image. */
export async function seeImages(images: readonly LabelledImage[], options: SeeOptions): Promise<SeenImages> {
  const byContent = new Map<string, SeenImage>();
  const refused: RefusedImage[] = [];
  const copies: string[] = [];
  const animations: string[] = [];
  const contradicted = new Map<string, string[]>();
  const { concurrency = options.engine.stats().threads.decode + 1 } = options;
  for await (const found of pMapIterable(images, (picture) => seeOne(picture, options), { concurrency })) {
    await options.onImage();
    if ('code' in found) {
      refused.push(found);
      continue;
    }
    const { picture, isAnimated } = found;
    if (isAnimated) animations.push(picture.path);
    const former = byContent.get(picture.sha256);
    if (former === undefined) byContent.set(picture.sha256, picture);
    else if (former.isAi === picture.isAi) copies.push(picture.path);
    else
      contradicted.set(picture.sha256, [
        ...(contradicted.get(picture.sha256) ?? [former.path]),
        picture.path,
      ]);
  }
  for (const sha256 of contradicted.keys()) byContent.delete(sha256);
  return {
    seen: [...byContent.values()],
    refused,
    copies,
    animations,
    contradictions: [...contradicted.values()].flat(),
    surplus: [],
  };
}

async function seeOne(
  picture: LabelledImage,
  { engine, limits, read = ({ path }, signal) => readImage(path, signal) }: SeeOptions,
): Promise<{ readonly picture: SeenImage; readonly isAnimated: boolean } | RefusedImage> {
  try {
    const bytes = await read(picture, limits.signal);
    const header = await engine.sniff(bytes);
    admitHeader(header);
    const looked = await engine.inspect(bytes, { ...limits, previewPx: HASHED_PX });
    const { fullImageScore, drawn, faces, preview } = looked;
    return {
      picture: {
        ...picture,
        sha256: await digestBytes(bytes),
        fullImage: fullImageScore,
        drawn: roundScore(drawn, 0),
        face: faces.length === 0 ? null : Math.max(...faces.map(({ score }) => score)),
        perceptualHash: preview?.perceptualHash ?? null,
      },
      isAnimated: header.frameCount > 1,
    };
  } catch (error) {
    limits.signal.throwIfAborted();
    if (!(error instanceof CheckError) || NOT_THE_IMAGE.includes(error.code)) throw error;
    return { path: picture.path, code: error.code, message: error.message };
  }
}

/** Returns warnings about the images, for people who read the numbers. */
export function warnOf(found: SeenImages): string[] {
  const { seen, refused, copies, animations, contradictions, surplus } = found;
  const nearCopies = findNearCopies(seen.map(({ perceptualHash }) => perceptualHash));
  const isFilled = nearCopies.length > 0 && nearCopies.length >= MANY_NEAR_COPIES * seen.length;
  const codes = [...new Set(refused.map(({ code }) => code))].join(', ');
  const groups: readonly [paths: readonly string[], text: string][] = [
    [refused.map(({ path }) => path), `left out, which no check would judge (${codes})`],
    [copies, 'left out, because the same image is there already'],
    [contradictions, 'left out, because copies of them bear the other label'],
    [surplus, `left out: at most half may come from one account, and ${MOST_IMAGES} from all together`],
    [
      isFilled ? nearCopies.map((at) => seen[at]?.path ?? '') : [],
      `like another one but for a few bits of the perceptual hash, yet counted (${seen.length} are seen): near copies make the intervals narrower than they should be`,
    ],
    [animations, 'seen by the first frame alone, because they move'],
  ];
  return groups.flatMap(([paths, text]) => {
    if (paths.length === 0) return [];
    const more = paths.length > SHOWN ? ` and ${paths.length - SHOWN} more` : '';
    return [
      `${countOf(paths.length, 'image')} ${paths.length === 1 ? 'is' : 'are'} ${text}: ${paths.slice(0, SHOWN).map(visibleText).join(', ')}${more}`,
    ];
  });
}
