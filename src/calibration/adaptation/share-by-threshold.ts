// Bounds what one account may say of each threshold: photographed pictures, drawn ones and faces have their own.
import { mediumOf } from '../../check/thresholds/picture-bands.js';
import { MEDIUM_NAMES } from '../../check/types.js';
import type { SeenPicture } from './see-pictures.js';
import { shareOut } from './share-out.js';

/**
 * No account has more than all others together of what a threshold is fitted to, if what they teach is
 * for others, too (`isShared`). Genuine and AI ones are shared out apart. A picture whose face is beyond that half
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
