// JSON of a body, and what a body is that is none: clients of some platforms send another encoding without knowing it.
import { JsonFault, parseBounded } from '../../../base/bounded-json.js';
import { CheckError } from '../../../base/errors.js';

/** The value of a body with at most `maxParts` parts. Throws CheckError invalid_request. */
export function parseJson(bytes: Buffer, maxParts: number): unknown {
  try {
    return parseBounded(bytes, maxParts);
  } catch (error) {
    throw refusalOfJson(error, bytes);
  }
}

/** What to throw for what reading the JSON of `bytes` threw: CheckError invalid_request for a JsonFault, anything else as it is. */
export function refusalOfJson(error: unknown, bytes: Buffer): unknown {
  if (!(error instanceof JsonFault)) return error;
  const isLong = error.kind === 'too_many_parts';
  const message = isLong ? `the JSON body: ${error.message}` : describeNoJson(bytes);
  return new CheckError('invalid_request', message);
}

/** The message for a body that can't be parsed. */
function describeNoJson(bytes: Buffer): string {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'the body is compressed (gzip); send it as it is';
  if (looksLikeUtf16(bytes)) return 'the body is JSON in UTF-16; send it in UTF-8';
  return 'the body is not valid JSON in UTF-8';
}

/** A byte order mark, or an ASCII character with a zero beside it, which no text in UTF-8 begins with. */
function looksLikeUtf16([first = 0x20, second = 0x20]: Buffer): boolean {
  const mark = (first << 8) | second;
  return mark === 0xfffe || mark === 0xfeff || (first === 0) !== (second === 0);
}
