// Reading a JSON body while it arrives. Base64 images are decoded on the way and never held as text.
import { randomBytes } from 'node:crypto';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { Base64Decoder } from './base64.js';
import { ByteCollector } from 'telltale-engine/internal/base/byte-collector.js';
import { parseJson } from './read-json.js';
import { show } from 'telltale-engine/internal/base/shape.js';

/** Maximum bytes of a body in addition to its base64: addresses and options. */
const MAX_REMAINDER_BYTES = 131_072;
/** Maximum number of objects, lists, fields and items. Chosen: a batch of eight has fifty. */
const MAX_PARTS = 1000;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** A parsed body. */
export interface JsonBody {
  /** The document with a placeholder for each base64 text. */
  readonly value: unknown;
  /** Returns the image behind a placeholder, once. Throws CheckError invalid_base64, or the error of a large image. */
  readonly decode: (value: string) => Buffer;
}

/** Rules for fields with images. */
export interface ImageRules {
  /** Name of these fields; default: `image_b64`. */
  readonly member?: string;
  /** Creates a decoder. `readBytes` is the number of body bytes before its text, or all of them. */
  readonly newDecoder: (readBytes: number) => Base64Decoder;
  /** Maximum number of such fields, including repeated ones that a later one replaces, because each takes memory. */
  readonly maxImages: number;
  /** Returns the error of too many images. */
  readonly refuseMore: () => CheckError;
}

/** Reads UTF-8 JSON and decodes the values of image fields. */
export class JsonBodyReader {
  readonly #rules: ImageRules;
  /** Name of image fields with quotes, as in the text. */
  readonly #imageName: string;
  /** Random mark, so that callers can't send a placeholder. */
  readonly #mark = randomBytes(12).toString('hex');
  readonly #decoders = new Map<string, Base64Decoder>();
  readonly #remainder = new ByteCollector(MAX_REMAINDER_BYTES);
  /** The string being read: an image or other text; null between strings. */
  #inside: Base64Decoder | 'other' | null = null;
  /** True if the last byte was an escaping backslash. */
  #isEscaping = false;
  /** Range of the latest string in the remainder, with its quotes. */
  #string = { start: 0, end: 0 };
  #readBytes = 0;
  #strings = 0;

  constructor(rules: ImageRules) {
    this.#rules = rules;
    this.#imageName = JSON.stringify(rules.member ?? 'image_b64');
  }

  /**
   * Reads the next chunk. Throws CheckError invalid_request if too much is not an image, and the error of too many
   * images.
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
        // The name of the field was written with escapes.
        const late = this.#rules.newDecoder(this.#readBytes);
        // Encoded as JSON again, because the decoder expects escapes.
        late.write(Buffer.from(JSON.stringify(value).slice(1, -1)));
        return late.finish();
      },
    };
  }

  /** Reads up to and including an opening quote. Returns the rest. */
  #readBetween(chunk: Buffer): Buffer {
    const quote = chunk.indexOf(QUOTE);
    if (quote === -1) {
      this.#keep(chunk);
      return chunk.subarray(chunk.byteLength);
    }
    this.#keep(chunk.subarray(0, quote));
    this.#strings += 1;
    // Each string follows a colon or a comma, so this many are too many parts. Each takes a microsecond, and 30,000 in
    // one chunk would hold the event loop.
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

  /** Reads up to and including the closing quote of a string. Returns the rest. */
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

  /** Returns whether the string that begins is the value of an image field. */
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
    throw invalid(
      `the JSON body has more than ${MAX_REMAINDER_BYTES} bytes beside its images${hint}`,
      name === null ? null : show(name),
    );
  }

  /** Returns the name of the field whose value or list the current string belongs to, or null. */
  #currentMember(): string | null {
    const before = this.#remainder.view().toString('latin1', 0, this.#string.start);
    return /"([^"\\]{1,100})"\s*:\s*\[?\s*$/.exec(before.slice(-200))?.[1] ?? null;
  }
}

function tooManyParts(): CheckError {
  return invalid(`the JSON body: it has more than ${MAX_PARTS} members and items`);
}

function invalid(message: string, param: string | null = null): CheckError {
  return new CheckError('invalid_request', message, { param });
}
