// Names that a file brings along (signer, tool), made safe to stand in a line of text.

/** Longer names are cut, unless a caller says otherwise. Chosen: the longest organisation on the C2PA trust list fits. */
const MAX_CHARACTERS = 64;

/** `name` on one line, without control and formatting characters (which could forge or reorder the text), cut to size. */
export function quoteName(name: string, maxCharacters = MAX_CHARACTERS): string {
  // Twice the length first: characters that are cut off anyway need not be cleaned.
  const plain = name
    .slice(0, 2 * maxCharacters + 100)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
  const characters = [...plain];
  return characters.length <= maxCharacters ? plain : `${characters.slice(0, maxCharacters - 1).join('')}…`;
}
