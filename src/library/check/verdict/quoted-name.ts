// Making names from a file (signer, tool) safe for a line of text.

/** Default maximum number of characters. Chosen: the longest organisation on the C2PA trust list fits. */
const MAX_CHARACTERS = 64;

/**
 * Returns `name` on one line, cut to size, without control and formatting characters, which could forge or reorder the
 * text.
 */
export function quoteName(name: string, maxCharacters = MAX_CHARACTERS): string {
  // Cut to twice the length first, because the rest need not be cleaned.
  const plain = name
    .slice(0, 2 * maxCharacters + 100)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
  const characters = [...plain];
  return characters.length <= maxCharacters ? plain : `${characters.slice(0, maxCharacters - 1).join('')}…`;
}
