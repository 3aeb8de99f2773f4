// Describes in sentences how many measured images score as high as this one.
import type { FiredShare, RecordedRates } from '../../src/record/content/schema-sections.js';
import { formatCount } from './format.js';

/** Names of kinds of images, first for genuine and then for AI images. */
const KIND_NAMES: Readonly<Record<string, readonly [genuine: string, ai: string]>> = {
  photographed: ['genuine photographs', 'photorealistic AI images'],
  drawn: ['genuine illustrations', 'AI illustrations'],
  portrait: ['genuine faces', 'AI or swapped faces'],
  'group face': ['genuine faces in groups', 'AI or swapped faces in groups'],
  'small face': ['genuine small faces', 'AI or swapped small faces'],
};

/**
 * Returns sentences such as `Of 1,000 genuine photographs 1 or 2 score as high.` Uses the narrowest kind with enough
 * measured images; empty without such a kind.
 */
export function describeRates({ kinds }: RecordedRates, isFace: boolean): string {
  const knownKind = kinds.filter(({ genuine, ai }) => genuine !== null || ai !== null).at(-1);
  if (!knownKind) return '';
  const [genuine, ai] =
    KIND_NAMES[knownKind.kind] ??
    (isFace ? ['genuine faces', 'AI or swapped faces'] : ['genuine images', 'AI images']);
  return [describeShare(knownKind.genuine, genuine), describeShare(knownKind.ai, ai)]
    .filter((text) => text !== '')
    .join(' ');
}

function describeShare(share: FiredShare | null, noun: string): string {
  if (share === null) return '';
  if (share.fired === 0) return `None of ${formatCount(share.pictures)} measured ${noun} scored as high.`;
  const ofThousand = (share.fired / share.pictures) * 1000;
  const most = Math.ceil(ofThousand - 1e-9);
  return `Of 1,000 ${noun} ${describeCount(Math.floor(ofThousand + 1e-9), most)} score as high.`;
}

/** Returns a range as text. Never shows less than was measured. */
function describeCount(least: number, most: number): string {
  if (least === most) return formatCount(most);
  if (least === 0) return 'at most 1';
  return most <= 10 ? `${least} or ${most}` : `about ${formatCount(most)}`;
}
