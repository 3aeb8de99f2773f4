// Counts within sentences: one picture, two pictures.

/** `1 picture`, `2 pictures`; `plural` if that is not the word with an s. */
export function countOf(count: number, word: string, plural = `${word}s`): string {
  return `${count} ${count === 1 ? word : plural}`;
}
