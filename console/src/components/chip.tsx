// The label of a check: two words and a colour.
import type { JSX } from 'preact';
import type { Chip as Shown } from '../chip-words.js';

/** Draws only the words. The caller shows `because` next to them. */
export function Chip({ chip }: { chip: Shown }): JSX.Element {
  return <span class={`word ${chip.kind}`}>{chip.word}</span>;
}
