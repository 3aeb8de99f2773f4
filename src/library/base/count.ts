// Numbers with nouns in sentences.

/** Returns `1 image` or `2 images`; `plural` defaults to the word with an s. */
export function countOf(count: number, word: string, plural = `${word}s`): string {
  return `${count} ${count === 1 ? word : plural}`;
}
