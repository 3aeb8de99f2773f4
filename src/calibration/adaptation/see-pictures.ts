// An operator's own pictures as the detectors see them: each content once, by the limits of a check.
import { pMapIterable } from 'p-map';
import { admitHeader } from '../../check/limits.js';
import { roundScore } from '../../check/rounding.js';
import type { Engine, InspectOptions } from '../../engine/types.js';
import type { ErrorCode } from '../../base/error-codes.js';
import { CheckError } from '../../base/errors.js';
import type { LabelledPicture } from '../evaluation/dataset.js';
import { readPicture } from '../input-files/read-picture.js';
import { digestBytes } from '../../base/digest.js';

/** Longer side of what the perceptual hash is of. Chosen: it is of 32 × 32 px in the end. */
const HASHED_PX = 64;

/** Faults that say nothing of a picture. */
const NOT_THE_PICTURE: readonly ErrorCode[] = ['overloaded', 'unavailable'];

/** One picture with what the detectors say of it. */
export interface SeenPicture extends LabelledPicture {
  readonly sha256: string;
  /** 0..1. */
  readonly fullImage: number;
  /** Probability that it is drawn, 0..1 on four decimals. */
  readonly drawn: number;
  /** Highest score of its faces, 0..1; null if there is none. */
  readonly face: number | null;
  readonly embedding: Float64Array;
  /** 16 hexadecimal digits: near copies differ in few of its bits. Null if it could not be had. */
  readonly perceptualHash: string | null;
}

/** A picture that no check would judge. */
export interface RefusedPicture {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** All of them. */
export interface SeenPictures {
  /** Each content once. */
  readonly seen: readonly SeenPicture[];
  readonly refused: readonly RefusedPicture[];
  /** Paths of pictures that another one is a copy of, byte by byte. */
  readonly copies: readonly string[];
  /** Paths of animations; only their first frame was seen. */
  readonly animations: readonly string[];
  /** Paths of copies that the one says to be AI and the other genuine: neither is in `seen`. */
  readonly contradictions: readonly string[];
  /** Paths of pictures beyond what is learned from one account, or at all. */
  readonly surplus: readonly string[];
}

/** What seeing needs. */
export interface SeeOptions {
  readonly engine: Engine;
  /** Of each inspection; its signal ends all. */
  readonly limits: InspectOptions & { readonly signal: AbortSignal };
  /** The file of a picture; default: what lies at its path. Rejects with CheckError if it can't be had. */
  readonly read?: (picture: LabelledPicture, signal: AbortSignal) => Promise<Uint8Array>;
  /** Pictures at a time; default: as many as keep the engine busy. */
  readonly concurrency?: number;
  /** Called after each picture. */
  readonly onPicture: () => Promise<void>;
}

/** Inspects each picture as it is. Rejects with the signal's reason, or with a fault that is no picture's. */
export async function seePictures(
  pictures: readonly LabelledPicture[],
  options: SeeOptions,
): Promise<SeenPictures> {
  const byContent = new Map<string, SeenPicture>();
  const refused: RefusedPicture[] = [];
  const copies: string[] = [];
  const animations: string[] = [];
  const contradicted = new Map<string, string[]>();
  const { concurrency = options.engine.stats().threads.decode + 1 } = options;
  for await (const found of pMapIterable(pictures, (picture) => seeOne(picture, options), { concurrency })) {
    await options.onPicture();
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
  picture: LabelledPicture,
  { engine, limits, read = ({ path }, signal) => readPicture(path, signal) }: SeeOptions,
): Promise<{ readonly picture: SeenPicture; readonly isAnimated: boolean } | RefusedPicture> {
  try {
    const bytes = await read(picture, limits.signal);
    const header = await engine.sniff(bytes);
    admitHeader(header);
    const looked = await engine.inspect(bytes, { ...limits, previewPx: HASHED_PX });
    const { fullImageScore, drawn, embedding, faces, preview } = looked;
    return {
      picture: {
        ...picture,
        sha256: await digestBytes(bytes),
        fullImage: fullImageScore,
        drawn: roundScore(drawn, 0),
        face: faces.length === 0 ? null : Math.max(...faces.map(({ score }) => score)),
        embedding,
        perceptualHash: preview?.perceptualHash ?? null,
      },
      isAnimated: header.frameCount > 1,
    };
  } catch (error) {
    limits.signal.throwIfAborted();
    if (!(error instanceof CheckError) || NOT_THE_PICTURE.includes(error.code)) throw error;
    return { path: picture.path, code: error.code, message: error.message };
  }
}
