// Scores an operator's own images for a calibration. Leaves out duplicates and images that a check would refuse.
import { pMapIterable } from 'p-map';
import { admitHeader } from 'telltale-engine/internal/check/admit-image.js';
import { roundScore, countOf } from 'telltale-engine/internal/base/numbers.js';
import type { Engine, InspectOptions } from 'telltale-engine/internal/engine/types.js';
import type { ErrorCode } from 'telltale-engine/internal/base/error-codes.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { LabelledImage } from '../evaluation/dataset.js';
import { readImage } from '../input-files/read-image.js';
import { digestBytes } from 'telltale-engine/internal/base/bytes.js';
import { findNearCopies } from 'telltale-engine/internal/base/perceptual-hash.js';
import { visibleText } from 'telltale-engine/internal/base/visible-text.js';

/** Maximum number of images: about an hour of work for two cores. More images would hardly change the thresholds. */
export const MAX_IMAGES = 20_000;

/** Longer side of the image for the perceptual hash, in pixels. The hash shrinks the image to 32 × 32 px. */
const HASHED_PX = 64;

/** Error codes that do not depend on the image. */
const NOT_THE_IMAGE: readonly ErrorCode[] = ['overloaded', 'unavailable'];

/** Share of near-duplicates above which the operator is warned. */
const NEAR_COPY_WARNING_SHARE = 0.1;
/** Maximum number of file names in a warning. */
const MAX_NAMED_IMAGES = 5;

/** An image with its scores. */
export interface FitImage extends LabelledImage {
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

/** Result of `loadFitImages`. */
export interface FitImages {
  /** Scored images, without duplicates. */
  readonly usable: readonly FitImage[];
  readonly refused: readonly RefusedImage[];
  /** Paths of exact duplicates of other images. */
  readonly copies: readonly string[];
  /** Paths of animations. Only their first frame was scored. */
  readonly animations: readonly string[];
  /** Paths of duplicates with different labels. None of them is in `usable`. */
  readonly contradictions: readonly string[];
  /** Paths of images left out because one account or all together have too many. */
  readonly surplus: readonly string[];
}

/** Options of `loadFitImages`. */
interface FitImageOptions {
  readonly engine: Engine;
  /** Limits for each image; the signal stops all work. */
  readonly limits: InspectOptions & { readonly signal: AbortSignal };
  /** Reads an image; default: the file at its path. Rejects with CheckError if the image is unavailable. */
  readonly read?: (image: LabelledImage, signal: AbortSignal) => Promise<Uint8Array>;
  /** Number of images read and scored concurrently. Default: enough to keep the engine busy. */
  readonly concurrency?: number;
  /** Called after each image, to show progress. */
  readonly onImage: () => Promise<void>;
}

/** Scores the images. Rejects with the signal's reason, or with an error that does not depend on an image. */
export async function loadFitImages(
  images: readonly LabelledImage[],
  options: FitImageOptions,
): Promise<FitImages> {
  const byContent = new Map<string, FitImage>();
  const refused: RefusedImage[] = [];
  const copies: string[] = [];
  const animations: string[] = [];
  const contradicted = new Map<string, string[]>();
  const { concurrency = options.engine.stats().threads.decode + 1 } = options;
  for await (const loadedImage of pMapIterable(images, (image) => loadFitImage(image, options), {
    concurrency,
  })) {
    await options.onImage();
    if ('code' in loadedImage) {
      refused.push(loadedImage);
      continue;
    }
    const { image, isAnimated } = loadedImage;
    if (isAnimated) animations.push(image.path);
    const earlierImage = byContent.get(image.sha256);
    if (earlierImage === undefined) byContent.set(image.sha256, image);
    else if (earlierImage.isAi === image.isAi) copies.push(image.path);
    else
      contradicted.set(image.sha256, [
        ...(contradicted.get(image.sha256) ?? [earlierImage.path]),
        image.path,
      ]);
  }
  for (const sha256 of contradicted.keys()) byContent.delete(sha256);
  return {
    usable: [...byContent.values()],
    refused,
    copies,
    animations,
    contradictions: [...contradicted.values()].flat(),
    surplus: [],
  };
}

async function loadFitImage(
  image: LabelledImage,
  { engine, limits, read = ({ path }, signal) => readImage(path, signal) }: FitImageOptions,
): Promise<{ readonly image: FitImage; readonly isAnimated: boolean } | RefusedImage> {
  try {
    const bytes = await read(image, limits.signal);
    const header = await engine.sniff(bytes);
    admitHeader(header);
    const inspection = await engine.inspect(bytes, { ...limits, previewPx: HASHED_PX });
    const { fullImageScore, drawn, faces, preview } = inspection;
    return {
      image: {
        ...image,
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
    return { path: image.path, code: error.code, message: error.message };
  }
}

/** Returns warnings about the images that the user should consider when judging the measured rates. */
export function describeWarnings(found: FitImages): string[] {
  const { usable, refused, copies, animations, contradictions, surplus } = found;
  const nearCopies = findNearCopies(usable.map(({ perceptualHash }) => perceptualHash));
  const isFilled = nearCopies.length > 0 && nearCopies.length >= NEAR_COPY_WARNING_SHARE * usable.length;
  const codes = [...new Set(refused.map(({ code }) => code))].join(', ');
  const groups: readonly [paths: readonly string[], text: string][] = [
    [refused.map(({ path }) => path), `left out, because a check would refuse them (${codes})`],
    [copies, 'left out as duplicates of another image'],
    [contradictions, 'left out, because a copy has the other label'],
    [
      surplus,
      `left out: at most half of the images may come from one account, and at most ${MAX_IMAGES} are used`,
    ],
    [
      isFilled ? nearCopies.map((at) => usable[at]?.path ?? '') : [],
      `nearly equal to another image but counted (of ${usable.length} used images): near-duplicates make the confidence intervals too narrow`,
    ],
    [animations, 'animated: only the first frame is checked'],
  ];
  return groups.flatMap(([paths, text]) => {
    if (paths.length === 0) return [];
    const more = paths.length > MAX_NAMED_IMAGES ? ` and ${paths.length - MAX_NAMED_IMAGES} more` : '';
    return [
      `${countOf(paths.length, 'image')} ${paths.length === 1 ? 'is' : 'are'} ${text}: ${paths.slice(0, MAX_NAMED_IMAGES).map(visibleText).join(', ')}${more}`,
    ];
  });
}
