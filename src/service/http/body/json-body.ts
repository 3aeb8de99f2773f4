// Reads a JSON body as it comes, without its images ever being text: base64 is decoded on the way, the rest is parsed.
import { randomBytes } from 'node:crypto';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { Base64Decoder } from './base64.js';
import { ByteCollector } from 'telltale-engine/internal/base/byte-collector.js';
import { parseJson } from './read-json.js';
import { show } from 'telltale-engine/internal/base/shape.js';

/** What may remain of a body beside its base64: addresses and options. */
const MAX_REMAINDER_BYTES = 131_072;
/** Objects, lists, members and items. Chosen: a batch of eight has fifty. */
const MAX_PARTS = 1000;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** A parsed body. */
export interface JsonBody {
  /** The document, with a placeholder in the place of each base64 text. */
  readonly value: unknown;
  /** The image behind a value of an image's member, once. Throws CheckError invalid_base64, or too large. */
  readonly decode: (value: string) => Buffer;
}

/** How members that hold images are decoded, and how many there may be. */
export interface ImageRules {
  /** Their name; default: `image_b64`. */
  readonly member?: string;
  /** Makes the decoder of one; `readBytes` is how much of the body came before its text, or all of it. */
  readonly newDecoder: (readBytes: number) => Base64Decoder;
  /** Members of one body, those that a later one of their name replaces among them: each takes memory. */
  readonly maxImages: number;
  /** The error of more. */
  readonly refuseMore: () => CheckError;
}

/** Reads UTF-8 JSON; the values of members with images go through decoders. */
export class JsonBodyReader {
  readonly #rules: ImageRules;
  /** As it stands in the text. */
  readonly #imageName: string;
  /** Nobody can send a placeholder of another one's image. */
  readonly #mark = randomBytes(12).toString('hex');
  readonly #decoders = new Map<string, Base64Decoder>();
  readonly #remainder = new ByteCollector(MAX_REMAINDER_BYTES);
  /** The string that is being read: an image, or what stays in the remainder; null between strings. */
  #inside: Base64Decoder | 'other' | null = null;
  /** Whether the last byte was a backslash that escapes the next one. */
  #isEscaping = false;
  /** Where the latest string lies in the remainder, with its quotes. */
  #string = { start: 0, end: 0 };
  #readBytes = 0;
  #strings = 0;

  constructor(rules: ImageRules) {
    this.#rules = rules;
    this.#imageName = JSON.stringify(rules.member ?? 'image_b64');
  }

  /** Takes the next chunk. Throws CheckError invalid_request if too much is no image, and the refusal of too many. */
  write(chunk: Buffer): void {
    let rest = chunk;
    while (rest.byteLength > 0) {
      const next = this.#inside === null ? this.#readBetween(rest) : this.#readString(rest, this.#inside);
      this.#readBytes += rest.byteLength - next.byteLength;
      rest = next;
    }
  }

  /** The body, when all of it has come. Throws CheckError invalid_request. */
  finish(): JsonBody {
    return {
      value: parseJson(this.#remainder.view(), MAX_PARTS),
      decode: (value) => {
        const decoder = this.#decoders.get(value);
        if (decoder) return decoder.finish();
        // A member whose name was written with escapes.
        const late = this.#rules.newDecoder(this.#readBytes);
        // As JSON again, which is what a decoder takes: a backslash that is left would begin an escape.
        late.write(Buffer.from(JSON.stringify(value).slice(1, -1)));
        return late.finish();
      },
    };
  }

  /** Reads up to a string, with its opening quote; gives what follows. */
  #readBetween(chunk: Buffer): Buffer {
    const quote = chunk.indexOf(QUOTE);
    if (quote === -1) {
      this.#keep(chunk);
      return chunk.subarray(chunk.byteLength);
    }
    this.#keep(chunk.subarray(0, quote));
    this.#strings += 1;
    // Each string but the first follows a colon or a comma, so this many are too many parts, whatever comes. Each costs
    // a microsecond here: 30,000 in one chunk would stop everybody else.
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

  /** Reads up to the end of a string, with its closing quote; gives what follows. */
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

  /** Index of the quote that closes the string; -1 if it goes on in the next chunk. */
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

  /** Whether the string that opens now is the value of an image's member. */
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

  /** Name of the member whose value, or list, the string that is being read belongs to; null if that can't be told. */
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
