// Counts within sentences: one image, two images.

/** `1 image`, `2 images`; `plural` if that is not the word with an s. */
export function countOf(count: number, word: string, plural = `${word}s`): string {
  return `${count} ${count === 1 ? word : plural}`;
}
