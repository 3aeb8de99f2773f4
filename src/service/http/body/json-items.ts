// Reads a JSON body with one long list. Finds the list in the bytes and parses its items one by one. Parses
// the rest of the body as a whole.
import { EventLoopTurn } from 'telltale-engine/internal/base/concurrency/event-loop-turn.js';
import { endOfString, JsonFault, parseBounded } from 'telltale-engine/internal/base/bounded-json.js';
import { MAX_LINE_BYTES } from '../../../tables/list-fault.js';

/** Maximum number of objects, lists and fields in one item, and in the body without its list. */
const MAX_PARTS = 1000;
/** Number of bytes between two checks of how long the event loop has been blocked. */
const PIECE_BYTES = 65_536;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSERS: readonly number[] = [0x5d, 0x7d];
const OPENERS: readonly number[] = [0x5b, 0x7b];

/** A body, split into one long list and the rest. */
interface ItemsBody {
  /** Parsed body, with an empty list in place of the long list. */
  readonly rest: unknown;
  /** Items of the list, or null if the body has no list of that name. */
  readonly items: AsyncIterable<unknown> | null;
}

interface Range {
  /** Index after the list's opening bracket. */
  readonly start: number;
  /** Index of the list's closing bracket. */
  readonly end: number;
}

/** Splits a body at its field `name`. Rejects with JsonFault; reading an item may do so, too. */
export async function readItemsBody(bytes: Buffer, name: string): Promise<ItemsBody> {
  const range = await findList(bytes, name);
  if (range === null) return { rest: parseBounded(bytes, MAX_PARTS), items: null };
  const around = Buffer.concat([bytes.subarray(0, range.start), bytes.subarray(range.end)]);
  return { rest: parseBounded(around, MAX_PARTS), items: readItems(bytes.subarray(range.start, range.end)) };
}

/** Finds the list in the top-level field `name`, the last one if repeated. Returns null without a list. */
async function findList(bytes: Buffer, name: string): Promise<Range | null> {
  const quotedName = `"${name}"`;
  const turn = new EventLoopTurn();
  let depth = 0;
  let member = '';
  let start: number | null = null;
  let range: Range | null = null;
  let looked = 0;
  for (let at = 0; at < bytes.byteLength; at += 1) {
    if (at - looked > PIECE_BYTES) {
      looked = at;
      await turn.yieldIfOver();
    }
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) {
      const end = endOfString(bytes, at + 1);
      if (depth === 1)
        member = end - at === quotedName.length - 1 ? bytes.toString('latin1', at, end + 1) : '';
      at = end;
    } else if (OPENERS.includes(byte)) {
      if (depth === 1 && byte === OPEN_LIST && member === quotedName) start = at + 1;
      depth += 1;
    } else if (CLOSERS.includes(byte)) {
      depth -= 1;
      if (depth === 1 && start !== null) {
        range = { start, end: at };
        start = null;
      }
    } else if (depth === 1 && byte === COMMA) member = '';
  }
  return range;
}

/** Yields the items of a list. `list` has the bytes between its brackets. */
async function* readItems(list: Buffer): AsyncGenerator {
  const turn = new EventLoopTurn();
  let depth = 0;
  let start = 0;
  for (let at = 0; at < list.byteLength; at += 1) {
    const byte = list[at] ?? 0;
    if (at - start > MAX_LINE_BYTES)
      throw new JsonFault('too_many_parts', `an item has more than ${MAX_LINE_BYTES} bytes`);
    if (byte === QUOTE) at = endOfString(list, at + 1);
    else if (OPENERS.includes(byte)) depth += 1;
    else if (CLOSERS.includes(byte)) depth -= 1;
    else if (byte === COMMA && depth === 0) {
      yield parseBounded(list.subarray(start, at), MAX_PARTS);
      start = at + 1;
      await turn.yieldIfOver();
    }
  }
  const last = list.subarray(start);
  // A list with only white space between its brackets is empty.
  if (start > 0 || last.some((byte) => byte > 0x20)) yield parseBounded(last, MAX_PARTS);
}
