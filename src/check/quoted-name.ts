// Names that a file brings along (signer, tool), made safe to stand in a line of text.

/** Longer names are cut. Chosen: the longest organisation on the C2PA trust list fits. */
const MAX_CHARACTERS = 64;

/** `name` on one line, without control and formatting characters (which could forge or reorder the text), cut to 64 characters. */
export function quoteName(name: string): string {
  const plain = name
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
  const characters = [...plain];
  return characters.length <= MAX_CHARACTERS ? plain : `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…`;
}
