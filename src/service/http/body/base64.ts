// Decodes base64 while it arrives, so that memory holds neither its text nor a second copy of its bytes.
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { ByteCollector } from 'telltale-engine/internal/base/bytes.js';

/** Escaped ASCII characters in JSON strings: PHP escapes `/` as `\/`, .NET escapes `+` as `\u002B`. */
const ESCAPE = /\\(?:\/|u00([0-7][0-9A-Fa-f]))/g;
/** Beginning of an escape at the end of a chunk, if the rest of the escape has not arrived. */
const TORN_ESCAPE = /\\(?:u[0-9A-Fa-f]{0,3})?$/;
const LAST_GROUP = /^[A-Za-z0-9+/]{2}(?:[A-Za-z0-9+/]{2}|[A-Za-z0-9+/]=|==)$/;

/** Decodes the base64 text of one image, piece by piece. */
export class Base64Decoder {
  readonly #bytes: ByteCollector;
  readonly #tooLarge: () => CheckError;
  readonly #member: string;
  #fault: CheckError | null = null;
  #isEmpty = true;
  /** Text that is not decoded yet: up to four characters at the end, which may contain padding. */
  #rest = '';
  /** Incomplete escape at the end. Separate from `#rest`, whose backslashes are already decoded. */
  #torn = '';

  /** `tooLarge` returns the error if `bytes` is full. Other errors name the JSON field `member`. */
  constructor(bytes: ByteCollector, tooLarge: () => CheckError, member = 'image_b64') {
    this.#bytes = bytes;
    this.#tooLarge = tooLarge;
    this.#member = member;
  }

  /** Decodes a piece of a JSON string, with escapes such as `\/` for `/` and `\u002B` for `+`. */
  write(piece: Buffer): void {
    this.#isEmpty &&= piece.byteLength === 0;
    if (this.#fault) return;
    const plain = this.#rest + this.#unescape(piece.toString('latin1'));
    const whole = Math.max(0, Math.ceil(plain.length / 4) - 1) * 4;
    const groups = plain.slice(0, whole);
    this.#rest = plain.slice(whole);
    const wantedBytes = this.#bytes.sizeBytes + (whole / 4) * 3;
    // Refuses - and _, which Node's decoder accepts. Node skips other invalid characters, which leaves too
    // few bytes. `includes` is many times faster than a regular expression.
    if (groups.includes('-') || groups.includes('_')) this.#fault = this.#notBase64(plain);
    else if (!this.#bytes.appendBase64(groups)) this.#fault = this.#tooLarge();
    else if (this.#bytes.sizeBytes !== wantedBytes) this.#fault = this.#notBase64(plain);
  }

  /**
   * Returns the bytes. Throws CheckError invalid_base64 unless the text is standard padded base64 (RFC 4648
   * section 4), or the error of `tooLarge`.
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
   * Replaces the escapes in a text. An incomplete escape at the end waits for the next piece. Other
   * backslashes stay and are refused as invalid base64.
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
