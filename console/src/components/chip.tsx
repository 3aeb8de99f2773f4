// The verdict of a check in two words and a colour.
import type { JSX } from 'preact';
import type { Chip as Shown } from '../chip-words.js';

/** The words alone; why to look closer stands beside them, in `because`. */
export function Chip({ chip }: { chip: Shown }): JSX.Element {
  return <span class={`word ${chip.kind}`}>{chip.word}</span>;
}
