// Writing a number with its noun, such as `2 images`.

/** Returns `1 image` or `2 images`; `plural` defaults to the word with an s. */
export function countOf(count: number, word: string, plural = `${word}s`): string {
  return `${count} ${count === 1 ? word : plural}`;
}
