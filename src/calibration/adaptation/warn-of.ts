// What to say of an operator's pictures before anybody believes the numbers.
import { countOf } from '../../base/count.js';
import { findNearCopies } from '../../base/perceptual-hash.js';
import { visibleText } from '../../base/visible-text.js';
import { MOST_PICTURES } from './share-out.js';
import type { SeenPictures } from './see-pictures.js';

/** Of the pictures: from here on near copies are no accident. Chosen. */
const MANY_NEAR_COPIES = 0.1;
/** Names that a warning shows. */
const SHOWN = 5;

/** What a person should know of the pictures before he believes the numbers. */
export function warnOf(found: SeenPictures): string[] {
  const { seen, refused, copies, animations, contradictions, surplus } = found;
  const nearCopies = findNearCopies(seen.map(({ perceptualHash }) => perceptualHash));
  const isFilled = nearCopies.length > 0 && nearCopies.length >= MANY_NEAR_COPIES * seen.length;
  const codes = [...new Set(refused.map(({ code }) => code))].join(', ');
  const groups: readonly [paths: readonly string[], text: string][] = [
    [refused.map(({ path }) => path), `left out, which no check would judge (${codes})`],
    [copies, 'left out, because the same picture is there already'],
    [contradictions, 'left out, because copies of them bear the other label'],
    [surplus, `left out: at most half may come from one account, and ${MOST_PICTURES} from all together`],
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
      `${countOf(paths.length, 'picture')} ${paths.length === 1 ? 'is' : 'are'} ${text}: ${paths.slice(0, SHOWN).map(visibleText).join(', ')}${more}`,
    ];
  });
}
