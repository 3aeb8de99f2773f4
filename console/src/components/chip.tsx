// The coloured label of a check, such as "AI detected".
import type { JSX } from 'preact';
import type { Chip as Shown } from '../chip-words.js';

/** Draws the label without its reason, which the caller shows next to it. */
export function Chip({ chip }: { chip: Shown }): JSX.Element {
  return <span class={`word ${chip.kind}`}>{chip.word}</span>;
}
