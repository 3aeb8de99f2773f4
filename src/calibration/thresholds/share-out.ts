// Bounds what one source may say of thresholds that are for everybody.
import { mediumOf } from '../../check/thresholds/picture-bands.js';
import { MEDIUM_NAMES } from '../../check/types.js';
import { MOST_PICTURES, type SeenPicture } from './see-pictures.js';

/**
 * Shares `most` places out among sources in turns, each giving its images in their order. If the thresholds are
 * for others, too (`isShared`), none has more than all others together. `surplus` are the images that got no place.
 */
export function shareOut<T extends { readonly source: string }>(
  pictures: readonly T[],
  { isShared, most = MOST_PICTURES }: { readonly isShared: boolean; readonly most?: number },
): { readonly taken: readonly T[]; readonly surplus: readonly T[] } {
  const bySource = new Map<string, T[]>();
  for (const picture of pictures) {
    const of = bySource.get(picture.source);
    if (of) of.push(picture);
    else bySource.set(picture.source, [picture]);
  }
  const largest = Math.max(...[...bySource.values()].map((of) => of.length));
  const bound = isShared ? Math.min(largest, pictures.length - largest) : largest;
  const taken = new Set<T>();
  for (let turn = 0; turn < bound && taken.size < most; turn += 1)
    for (const of of bySource.values()) {
      const picture = of[turn];
      if (picture !== undefined && taken.size < most) taken.add(picture);
    }
  return {
    taken: pictures.filter((picture) => taken.has(picture)),
    surplus: pictures.filter((picture) => !taken.has(picture)),
  };
}

/**
 * No account has more than all others together of what a threshold is fitted to, if the thresholds
 * are for others, too (`isShared`). Genuine and AI ones are shared out apart. An image whose face is beyond that half
 * counts without its face.
 */
export function shareByThreshold(
  pictures: readonly SeenPicture[],
  isShared: boolean,
): { readonly taken: readonly SeenPicture[]; readonly surplus: readonly SeenPicture[] } {
  const taken: SeenPicture[] = [];
  const surplus: SeenPicture[] = [];
  for (const isAi of [false, true]) {
    const ofLabel: SeenPicture[] = [];
    for (const medium of MEDIUM_NAMES) {
      const of = pictures.filter((picture) => picture.isAi === isAi && mediumOf(picture.drawn) === medium);
      const shared = shareOut(of, { isShared });
      ofLabel.push(...shared.taken);
      surplus.push(...shared.surplus);
    }
    const withFace = ofLabel.filter(({ face }) => face !== null);
    const beyond = new Set(shareOut(withFace, { isShared }).surplus);
    taken.push(...ofLabel.map((picture) => (beyond.has(picture) ? { ...picture, face: null } : picture)));
  }
  return { taken, surplus };
}
