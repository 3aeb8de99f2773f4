// Reads a JSON body while it arrives. Decodes base64 images immediately, so that no long text is in memory.
import { randomBytes } from 'node:crypto';
import { type CheckError, invalidRequest } from 'telltale-engine/internal/base/errors.js';
import type { Base64Decoder } from './base64.js';
import { ByteCollector } from 'telltale-engine/internal/base/bytes.js';
import { parseJson } from './small-input.js';
import { show } from 'telltale-engine/internal/base/shape.js';

/** Maximum bytes of a body without its base64 images: addresses and options. */
const MAX_REMAINDER_BYTES = 131_072;
/** Maximum number of objects, lists, fields and items. A batch of eight images has about fifty. */
const MAX_PARTS = 1000;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** A parsed JSON body. */
export interface JsonBody {
  /** Parsed JSON, with a placeholder in place of each base64 text. */
  readonly value: unknown;
  /** Returns the image that a placeholder stands for, once. Throws the errors of Base64Decoder. */
  readonly decode: (value: string) => Buffer;
}

/** Rules for the JSON fields that contain a base64 image. */
export interface ImageRules {
  /** Name of the fields with an image; default: `image_b64`. */
  readonly member?: string;
  /** Creates a decoder. `readBytes` is the number of body bytes read so far. */
  readonly newDecoder: (readBytes: number) => Base64Decoder;
  /** Maximum number of fields with an image. Repeated fields count, too, because each takes memory. */
  readonly maxImages: number;
  /** Returns the error for too many images. */
  readonly refuseMore: () => CheckError;
}

/** Reads JSON in UTF-8 and decodes the values of image fields. */
export class JsonBodyReader {
  readonly #rules: ImageRules;
  /** Name of the image fields in quotes, as in the JSON text. */
  readonly #imageName: string;
  /** Random beginning of every placeholder, so that callers can't send placeholders. */
  readonly #mark = randomBytes(12).toString('hex');
  readonly #decoders = new Map<string, Base64Decoder>();
  readonly #remainder = new ByteCollector(MAX_REMAINDER_BYTES);
  /** The string being read: an image or another text. Null between strings. */
  #inside: Base64Decoder | 'other' | null = null;
  /** True if the last byte was a backslash that escapes the next byte. */
  #isEscaping = false;
  /** Position of the latest string in `#remainder`, with its quotes. */
  #string = { start: 0, end: 0 };
  #readBytes = 0;
  #strings = 0;

  constructor(rules: ImageRules) {
    this.#rules = rules;
    this.#imageName = JSON.stringify(rules.member ?? 'image_b64');
  }

  /**
   * Reads the next chunk. Throws CheckError invalid_request if the body is too large without its images, or
   * the error for too many images.
   */
  write(chunk: Buffer): void {
    let rest = chunk;
    while (rest.byteLength > 0) {
      const next = this.#inside === null ? this.#readBetween(rest) : this.#readString(rest, this.#inside);
      this.#readBytes += rest.byteLength - next.byteLength;
      rest = next;
    }
  }

  /** Returns the body after its last chunk. Throws CheckError invalid_request. */
  finish(): JsonBody {
    return {
      value: parseJson(this.#remainder.view(), MAX_PARTS),
      decode: (value) => {
        const decoder = this.#decoders.get(value);
        if (decoder) return decoder.finish();
        // The field's name contained escapes and was not recognised, so its base64 text was not decoded.
        const late = this.#rules.newDecoder(this.#readBytes);
        // Encodes the text as JSON again, because the decoder expects escapes.
        late.write(Buffer.from(JSON.stringify(value).slice(1, -1)));
        return late.finish();
      },
    };
  }

  /** Reads up to and including the next opening quote. Returns the remaining bytes. */
  #readBetween(chunk: Buffer): Buffer {
    const quote = chunk.indexOf(QUOTE);
    if (quote === -1) {
      this.#keep(chunk);
      return chunk.subarray(chunk.byteLength);
    }
    this.#keep(chunk.subarray(0, quote));
    this.#strings += 1;
    // Each string follows a colon or a comma, so this many strings mean too many parts. Checked here, because
    // 30,000 strings in one chunk would block the event loop.
    if (this.#strings > MAX_PARTS) throw tooManyParts();
    if (this.#isImageNext()) {
      const { newDecoder, maxImages, refuseMore } = this.#rules;
      if (this.#decoders.size === maxImages) throw refuseMore();
      const placeholder = `${this.#mark}.${this.#decoders.size}`;
      const decoder = newDecoder(this.#readBytes + quote + 1);
      this.#decoders.set(placeholder, decoder);
      this.#keep(Buffer.from(`"${placeholder}`));
      this.#inside = decoder;
    } else {
      this.#string.start = this.#remainder.sizeBytes;
      this.#keep(chunk.subarray(quote, quote + 1));
      this.#inside = 'other';
    }
    return chunk.subarray(quote + 1);
  }

  /** Reads up to and including the closing quote of a string. Returns the remaining bytes. */
  #readString(chunk: Buffer, inside: Base64Decoder | 'other'): Buffer {
    const end = this.#findEnd(chunk);
    const text = end === -1 ? chunk : chunk.subarray(0, end);
    if (inside === 'other') this.#keep(text);
    else inside.write(text);
    if (end === -1) return chunk.subarray(chunk.byteLength);
    this.#keep(chunk.subarray(end, end + 1));
    this.#string.end = inside === 'other' ? this.#remainder.sizeBytes : this.#string.start;
    this.#inside = null;
    return chunk.subarray(end + 1);
  }

  /** Returns the index of the closing quote, or -1 if the string continues in the next chunk. */
  #findEnd(chunk: Buffer): number {
    let from = 0;
    for (;;) {
      const quote = chunk.indexOf(QUOTE, from);
      const end = quote === -1 ? chunk.byteLength : quote;
      let backslashes = 0;
      while (end - backslashes > from && chunk[end - backslashes - 1] === BACKSLASH) backslashes += 1;
      const isContinued = this.#isEscaping && backslashes === end - from;
      this.#isEscaping = (backslashes + (isContinued ? 1 : 0)) % 2 === 1;
      if (quote === -1 || !this.#isEscaping) return quote;
      this.#isEscaping = false;
      from = quote + 1;
    }
  }

  /** Returns whether the string that begins here is the value of an image field. */
  #isImageNext(): boolean {
    const { start, end } = this.#string;
    if (end - start !== this.#imageName.length) return false;
    const read = this.#remainder.view();
    return (
      read.toString('latin1', start, end) === this.#imageName && read.toString('latin1', end).trim() === ':'
    );
  }

  #keep(bytes: Buffer): void {
    if (this.#remainder.append(bytes)) return;
    const name = this.#currentMember();
    const hint =
      name === null
        ? ''
        : `; '${show(name)}' holds most of it: base64 goes into ${this.#rules.member ?? 'image_b64'}`;
    throw invalidRequest(
      `the JSON body has more than ${MAX_REMAINDER_BYTES} bytes in addition to its images${hint}`,
      { param: name === null ? null : show(name) },
    );
  }

  /** Returns the name of the field that has the current string as value or list item, or null. */
  #currentMember(): string | null {
    const before = this.#remainder.view().toString('latin1', 0, this.#string.start);
    return /"([^"\\]{1,100})"\s*:\s*\[?\s*$/.exec(before.slice(-200))?.[1] ?? null;
  }
}

function tooManyParts(): CheckError {
  return invalidRequest(`the JSON body: it has more than ${MAX_PARTS} members and items`);
}
