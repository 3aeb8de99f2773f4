// Making text from outside, such as file names and messages, safe to print on one line of a terminal.

/** Escapes characters that control a terminal, break a line or reorder text, such as `\u001b`. */
export function visibleText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, escapeCharacter);
}

/** Escapes characters that control a terminal or reorder text, without changing the value of the JSON. */
export function visibleJson(json: string): string {
  return json.replace(/[\u007f-\u009f\u2028\u2029\p{Cf}]/gu, escapeCharacter);
}

function escapeCharacter(character: string): string {
  // A surrogate stands for a byte of a file name that is not UTF-8 (see files.ts).
  if (/^[\udc80-\udcff]$/.test(character)) return `\\x${(character.charCodeAt(0) & 0xff).toString(16)}`;
  return Array.from({ length: character.length }, (_, at) => {
    return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }).join('');
}
