// Decodes base64 as it comes, so that neither its text nor a second copy of its bytes is ever in memory.
import { CheckError } from '../errors.js';
import type { ByteCollector } from './byte-collector.js';

const LAST_GROUP = /^[A-Za-z0-9+/]{2}(?:[A-Za-z0-9+/]{2}|[A-Za-z0-9+/]=|==)$/;

/** One picture's text on its way to bytes. */
export class Base64Decoder {
  readonly #bytes: ByteCollector;
  readonly #tooLarge: () => CheckError;
  #fault: CheckError | null = null;
  #isEmpty = true;
  /** What came and is not decoded yet: the last group, which may hold padding, and a torn escape. */
  #rest = '';

  /** `tooLarge` makes the error of more bytes than `bytes` takes. */
  constructor(bytes: ByteCollector, tooLarge: () => CheckError) {
    this.#bytes = bytes;
    this.#tooLarge = tooLarge;
  }

  /** Takes a piece of the inside of a JSON string, where `\/` may stand for `/`, as PHP writes it. */
  write(piece: Buffer): void {
    this.#isEmpty &&= piece.byteLength === 0;
    if (this.#fault) return;
    const text = this.#rest + piece.toString('latin1');
    const torn = text.endsWith('\\') ? '\\' : '';
    const plain = text.slice(0, text.length - torn.length).replaceAll('\\/', '/');
    const whole = Math.max(0, Math.ceil(plain.length / 4) - 1) * 4;
    const groups = plain.slice(0, whole);
    this.#rest = plain.slice(whole) + torn;
    const wantedBytes = this.#bytes.sizeBytes + (whole / 4) * 3;
    // Searching is many times faster than a regular expression: Node's decoder takes - and _ for + and /, and skips
    // whatever else is no base64, so that bytes are missing then.
    if (groups.includes('-') || groups.includes('_')) this.#fault = notBase64(plain);
    else if (!this.#bytes.appendBase64(groups)) this.#fault = this.#tooLarge();
    else if (this.#bytes.sizeBytes !== wantedBytes) this.#fault = notBase64(plain);
  }

  /** The bytes. Throws CheckError invalid_base64, for anything but standard padded base64 (RFC 4648 section 4), or too large. */
  finish(): Buffer {
    if (this.#isEmpty) throw new CheckError('invalid_base64', 'image_b64 is empty');
    if (this.#fault) throw this.#fault;
    if (!LAST_GROUP.test(this.#rest)) throw notBase64(this.#rest);
    if (!this.#bytes.appendBase64(this.#rest)) throw this.#tooLarge();
    this.#rest = '';
    return this.#bytes.view();
  }
}

function notBase64(text: string): CheckError {
  const hint = text.startsWith('data:') ? "; send the part after 'base64,' of a data: address alone" : '';
  return new CheckError(
    'invalid_base64',
    `image_b64 is not standard base64 (A-Z a-z 0-9 + / with = at the end, no line breaks)${hint}`,
  );
}
