// Limits how many images one account or source contributes to thresholds that apply to everybody.
import { mediumOf } from 'telltale-engine/internal/check/thresholds/image-bands.js';
import { MEDIUM_NAMES } from 'telltale-engine/internal/check/types.js';
import { MAX_IMAGES, type FitImage } from './fit-images.js';

/**
 * Selects at most `maximum` images, taking one from each source in turn. With `isShared`, no source provides
 * more than half of the selected images. `surplus` are the images left out.
 */
export function shareOut<T extends { readonly source: string }>(
  images: readonly T[],
  { isShared, maximum = MAX_IMAGES }: { readonly isShared: boolean; readonly maximum?: number },
): { readonly taken: readonly T[]; readonly surplus: readonly T[] } {
  const bySource = new Map<string, T[]>();
  for (const image of images) {
    const of = bySource.get(image.source);
    if (of) of.push(image);
    else bySource.set(image.source, [image]);
  }
  const largest = Math.max(...[...bySource.values()].map((of) => of.length));
  const bound = isShared ? Math.min(largest, images.length - largest) : largest;
  const taken = new Set<T>();
  for (let turn = 0; turn < bound && taken.size < maximum; turn += 1)
    for (const of of bySource.values()) {
      const image = of[turn];
      if (image !== undefined && taken.size < maximum) taken.add(image);
    }
  return {
    taken: images.filter((image) => taken.has(image)),
    surplus: images.filter((image) => !taken.has(image)),
  };
}

/**
 * Selects images so that, with `isShared`, no account provides more than half of the images for a threshold.
 * Genuine and AI images are limited separately. An image with a face beyond the limit is used without its
 * face.
 */
export function shareByThreshold(
  images: readonly FitImage[],
  isShared: boolean,
): { readonly taken: readonly FitImage[]; readonly surplus: readonly FitImage[] } {
  const taken: FitImage[] = [];
  const surplus: FitImage[] = [];
  for (const isAi of [false, true]) {
    const ofLabel: FitImage[] = [];
    for (const medium of MEDIUM_NAMES) {
      const of = images.filter((image) => image.isAi === isAi && mediumOf(image.drawn) === medium);
      const shared = shareOut(of, { isShared });
      ofLabel.push(...shared.taken);
      surplus.push(...shared.surplus);
    }
    const withFace = ofLabel.filter(({ face }) => face !== null);
    const beyond = new Set(shareOut(withFace, { isShared }).surplus);
    taken.push(...ofLabel.map((image) => (beyond.has(image) ? { ...image, face: null } : image)));
  }
  return { taken, surplus };
}
