// Parses a JSON body without ever handling its pictures as JavaScript values: base64 is cut out of the bytes first.
import { randomBytes } from 'node:crypto';
import { CheckError } from '../errors.js';

/** What may remain of a body once its base64 is cut out: addresses and options. */
const MAX_REMAINDER_BYTES = 131_072;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const LIFTED_MEMBER = '"image_b64"';

/** A parsed body. */
export interface JsonBody {
  /** The document, with a placeholder in the place of each base64 text. */
  readonly value: unknown;
  /** The bytes between the quotes for a value of `image_b64`, JSON escapes included. */
  textOf(value: string): Buffer;
}

/**
 * Parses UTF-8 JSON. The work besides searching for quotes is bounded by the remainder, so that 33 MB of base64 don't
 * stop the event loop. Throws CheckError invalid_request.
 */
export function parseJsonBody(body: Buffer): JsonBody {
  const mark = randomBytes(12).toString('hex');
  const lifted = new Map<string, Buffer>();
  const pieces: Buffer[] = [];
  let copiedTo = 0;
  for (const { start, end } of findLiftedStrings(body)) {
    const placeholder = `${mark}.${lifted.size}`;
    lifted.set(placeholder, body.subarray(start + 1, end));
    pieces.push(body.subarray(copiedTo, start + 1), Buffer.from(placeholder));
    copiedTo = end;
  }
  pieces.push(body.subarray(copiedTo));
  const remainder = Buffer.concat(pieces);
  if (remainder.byteLength > MAX_REMAINDER_BYTES)
    throw invalid(`the JSON body has more than ${MAX_REMAINDER_BYTES} bytes beside its images`);
  return {
    value: parse(remainder),
    textOf: (value) => lifted.get(value) ?? Buffer.from(value, 'utf8'),
  };
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    const hint = error instanceof SyntaxError ? '' : ' in UTF-8';
    throw invalid(`the body is not valid JSON${hint}`);
  }
}

interface Span {
  /** Index of the opening quote. */
  readonly start: number;
  /** Index of the closing quote. */
  readonly end: number;
}

/** The strings that are values of the member `image_b64`. */
function* findLiftedStrings(body: Buffer): Generator<Span> {
  let isValueOfMember = false;
  let liftedBytes = 0;
  let start = body.indexOf(QUOTE);
  // A remainder that is too large already needs no further search.
  while (start !== -1 && start - liftedBytes <= MAX_REMAINDER_BYTES) {
    const end = findClosingQuote(body, start);
    if (end === -1) return;
    const text = { start, end };
    const next = body.indexOf(QUOTE, end + 1);
    if (isValueOfMember) {
      liftedBytes += end - start;
      yield text;
    }
    isValueOfMember = !isValueOfMember && isMember(body, text) && onlyColonBetween(body, end + 1, next);
    start = next;
  }
}

/** Index of the quote that closes the string at `start`; -1 where there is none, or where it can't be base64. */
function findClosingQuote(body: Buffer, start: number): number {
  let end = body.indexOf(QUOTE, start + 1);
  for (let escaped = 0; end !== -1 && isEscaped(body, end); escaped += 1) {
    if (escaped > MAX_REMAINDER_BYTES) return -1;
    end = body.indexOf(QUOTE, end + 1);
  }
  return end;
}

function isEscaped(body: Buffer, quote: number): boolean {
  let backslashes = 0;
  while (body[quote - 1 - backslashes] === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}

function isMember(body: Buffer, { start, end }: Span): boolean {
  return (
    end - start + 1 === LIFTED_MEMBER.length && body.toString('latin1', start, end + 1) === LIFTED_MEMBER
  );
}

/** Whether there is one colon and white space from `from` up to `to`: then the string at `to` is the member's value. */
function onlyColonBetween(body: Buffer, from: number, to: number): boolean {
  if (to === -1 || to - from > 1000) return false;
  return body.indexOf(COLON, from) < to && body.toString('latin1', from, to).trim() === ':';
}

function invalid(message: string): CheckError {
  return new CheckError('invalid_request', message);
}
