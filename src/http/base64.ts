// Decodes base64 in pieces, with a turn of the event loop between them.
import { setImmediate } from 'node:timers/promises';
import { CheckError } from '../errors.js';

const PIECE_BYTES = 1 << 20;
const BACKSLASH = 0x5c;
const ALPHABET = /^[A-Za-z0-9+/]*$/;
const ENDING = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * Decodes standard, padded base64 (RFC 4648 section 4). `text` is the inside of a JSON string, where `\/` may stand for
 * `/`, as PHP writes it. Rejects with CheckError invalid_base64.
 */
export async function decodeBase64(text: Buffer): Promise<Buffer> {
  if (text.byteLength === 0) throw new CheckError('invalid_base64', 'image_b64 is empty');
  const decoded: Buffer[] = [];
  let rest = '';
  let position = 0;
  while (position < text.byteLength) {
    let end = Math.min(position + PIECE_BYTES, text.byteLength);
    if (text[end - 1] === BACKSLASH) end = Math.min(end + 1, text.byteLength);
    const piece = rest + text.toString('latin1', position, end).replaceAll('\\/', '/');
    const isLast = end === text.byteLength;
    const whole = isLast ? piece.length : piece.length - (piece.length % 4);
    rest = piece.slice(whole);
    decoded.push(decodePiece(piece.slice(0, whole), isLast));
    position = end;
    if (!isLast) await setImmediate();
  }
  return decoded.length === 1 ? decoded[0]! : Buffer.concat(decoded);
}

function decodePiece(piece: string, isLast: boolean): Buffer {
  const isValid = isLast ? piece.length % 4 === 0 && ENDING.test(piece) : ALPHABET.test(piece);
  if (isValid) return Buffer.from(piece, 'base64');
  const hint = piece.startsWith('data:') ? "; send the part after 'base64,' of a data: address alone" : '';
  throw new CheckError(
    'invalid_base64',
    `image_b64 is not standard base64 (A-Z a-z 0-9 + / with = at the end, no line breaks)${hint}`,
  );
}
