// Decoding base64 while it arrives, so that neither its text nor a second copy of its bytes is in memory.
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { ByteCollector } from 'telltale-engine/internal/base/byte-collector.js';

/** JSON escapes of ASCII characters: PHP escapes `/` this way, .NET `+`. */
const ESCAPE = /\\(?:\/|u00([0-7][0-9A-Fa-f]))/g;
/** Beginning of an escape whose end has not arrived. */
const TORN_ESCAPE = /\\(?:u[0-9A-Fa-f]{0,3})?$/;
const LAST_GROUP = /^[A-Za-z0-9+/]{2}(?:[A-Za-z0-9+/]{2}|[A-Za-z0-9+/]=|==)$/;

/** Decodes the text of one image. */
export class Base64Decoder {
  readonly #bytes: ByteCollector;
  readonly #tooLarge: () => CheckError;
  readonly #member: string;
  #fault: CheckError | null = null;
  #isEmpty = true;
  /** Text that is not decoded yet: the last group, which may contain padding. */
  #rest = '';
  /** Incomplete escape; kept apart, because a backslash in `#rest` was itself escaped. */
  #torn = '';

  /** `tooLarge` returns the error for more bytes than `bytes` accepts; other errors name `member`. */
  constructor(bytes: ByteCollector, tooLarge: () => CheckError, member = 'image_b64') {
    this.#bytes = bytes;
    this.#tooLarge = tooLarge;
    this.#member = member;
  }

  /** Decodes a piece of a JSON string, in which `\/` may stand for `/` and `\u002B` for `+`. */
  write(piece: Buffer): void {
    this.#isEmpty &&= piece.byteLength === 0;
    if (this.#fault) return;
    const plain = this.#rest + this.#unescape(piece.toString('latin1'));
    const whole = Math.max(0, Math.ceil(plain.length / 4) - 1) * 4;
    const groups = plain.slice(0, whole);
    this.#rest = plain.slice(whole);
    const wantedBytes = this.#bytes.sizeBytes + (whole / 4) * 3;
    // Searching is many times faster than a regular expression. Node's decoder accepts - and _ and skips invalid
    // characters, so that bytes are missing.
    if (groups.includes('-') || groups.includes('_')) this.#fault = this.#notBase64(plain);
    else if (!this.#bytes.appendBase64(groups)) this.#fault = this.#tooLarge();
    else if (this.#bytes.sizeBytes !== wantedBytes) this.#fault = this.#notBase64(plain);
  }

  /**
   * Returns the bytes. Throws CheckError invalid_base64 unless the text is standard padded base64 (RFC 4648 section
   * 4), or the error of a large image.
   */
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

  /**
   * Returns the text with its escapes replaced, except an incomplete one at the end. Other backslashes stay and are
   * invalid base64.
   */
  #unescape(piece: string): string {
    const text = this.#torn + piece;
    this.#torn = TORN_ESCAPE.exec(text.slice(-5))?.[0] ?? '';
    const whole = this.#torn === '' ? text : text.slice(0, -this.#torn.length);
    // Most images have no escapes, and searching is many times faster than a regular expression.
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
