// Making names from a file, such as a signer's, safe to show in a line of text.

/** Default maximum length, at which the longest organisation on the C2PA trust list fits. */
const MAX_CHARACTERS = 64;

/**
 * Returns `name` on one line, shortened, without control and formatting characters, which could forge or
 * reorder text.
 */
export function quoteName(name: string, maxCharacters = MAX_CHARACTERS): string {
  // Shortened roughly first, so that cleaning a very long name takes little time.
  const plain = name
    .slice(0, 2 * maxCharacters + 100)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
  const characters = [...plain];
  return characters.length <= maxCharacters ? plain : `${characters.slice(0, maxCharacters - 1).join('')}…`;
}
