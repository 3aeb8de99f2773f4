// What a body is that is no JSON in UTF-8: clients of some platforms send another encoding without knowing it.

/** The message for a body that can't be parsed. */
export function describeNoJson(bytes: Buffer): string {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'the body is compressed (gzip); send it as it is';
  if (looksLikeUtf16(bytes)) return 'the body is JSON in UTF-16; send it in UTF-8';
  return 'the body is not valid JSON in UTF-8';
}

/** A byte order mark, or an ASCII character with a zero beside it, which no text in UTF-8 begins with. */
function looksLikeUtf16([first = 0x20, second = 0x20]: Buffer): boolean {
  const mark = (first << 8) | second;
  return mark === 0xfffe || mark === 0xfeff || (first === 0) !== (second === 0);
}
