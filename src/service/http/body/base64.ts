// Decodes base64 as it comes, so that neither its text nor a second copy of its bytes is ever in memory.
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { ByteCollector } from 'telltale-engine/internal/base/byte-collector.js';

/** What JSON may write for a character of ASCII: PHP escapes `/` this way, .NET `+`. */
const ESCAPE = /\\(?:\/|u00([0-7][0-9A-Fa-f]))/g;
/** The start of an escape whose end is still to come. */
const TORN_ESCAPE = /\\(?:u[0-9A-Fa-f]{0,3})?$/;
const LAST_GROUP = /^[A-Za-z0-9+/]{2}(?:[A-Za-z0-9+/]{2}|[A-Za-z0-9+/]=|==)$/;

/** One image's text on its way to bytes. */
export class Base64Decoder {
  readonly #bytes: ByteCollector;
  readonly #tooLarge: () => CheckError;
  readonly #member: string;
  #fault: CheckError | null = null;
  #isEmpty = true;
  /** What came and is not decoded yet: the last group, which may hold padding. */
  #rest = '';
  /** A torn escape; apart, because a backslash in `#rest` was itself escaped and begins none. */
  #torn = '';

  /** `tooLarge` makes the error of more bytes than `bytes` takes; others name `member`. */
  constructor(bytes: ByteCollector, tooLarge: () => CheckError, member = 'image_b64') {
    this.#bytes = bytes;
    this.#tooLarge = tooLarge;
    this.#member = member;
  }

  /** Takes a piece of the inside of a JSON string, where `\/` may stand for `/`, and `\u002B` for `+`. */
  write(piece: Buffer): void {
    this.#isEmpty &&= piece.byteLength === 0;
    if (this.#fault) return;
    const plain = this.#rest + this.#unescape(piece.toString('latin1'));
    const whole = Math.max(0, Math.ceil(plain.length / 4) - 1) * 4;
    const groups = plain.slice(0, whole);
    this.#rest = plain.slice(whole);
    const wantedBytes = this.#bytes.sizeBytes + (whole / 4) * 3;
    // Searching is many times faster than a regular expression. Node's decoder takes - and _ for + and /, and skips
    // whatever else is no base64, so that bytes are missing then.
    if (groups.includes('-') || groups.includes('_')) this.#fault = this.#notBase64(plain);
    else if (!this.#bytes.appendBase64(groups)) this.#fault = this.#tooLarge();
    else if (this.#bytes.sizeBytes !== wantedBytes) this.#fault = this.#notBase64(plain);
  }

  /** The bytes. Throws CheckError invalid_base64, for anything but standard padded base64 (RFC 4648 section 4), or too large. */
  finish(): Buffer {
    if (this.#isEmpty) throw new CheckError('invalid_base64', `${this.#member} is empty`);
    if (this.#fault) throw this.#fault;
    this.#rest += this.#torn;
    this.#torn = '';
    if (!LAST_GROUP.test(this.#rest)) throw this.#notBase64(this.#rest);
    if (!this.#bytes.appendBase64(this.#rest)) throw this.#tooLarge();
    this.#rest = '';
    return this.#bytes.view();
  }

  /** The text with its escapes replaced, but for one at its end that goes on; any other keeps its backslash, which is no base64. */
  #unescape(piece: string): string {
    const text = this.#torn + piece;
    this.#torn = TORN_ESCAPE.exec(text.slice(-5))?.[0] ?? '';
    const whole = this.#torn === '' ? text : text.slice(0, -this.#torn.length);
    // Most images have none: searching is many times faster than a regular expression.
    if (!whole.includes('\\')) return whole;
    return whole.replace(ESCAPE, (_, hex?: string) =>
      hex === undefined ? '/' : String.fromCharCode(parseInt(hex, 16)),
    );
  }

  #notBase64(text: string): CheckError {
    const hint = text.startsWith('data:') ? "; send the part after 'base64,' of a data: address alone" : '';
    return new CheckError(
      'invalid_base64',
      `${this.#member} is not standard base64 (A-Z a-z 0-9 + / with = at the end, no line breaks)${hint}`,
    );
  }
}
