// The list of a scan: JSON lines or CSV, told by its first character, read item by item as it comes.
import { parseBounded } from 'telltale-engine/internal/base/bounded-json.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { asUtf8 } from '../../tables/as-utf8.js';
import { findColumn, readRows, rejoin } from '../../tables/read-rows.js';
import { ListFault, MAX_LINE_BYTES } from '../../tables/list-fault.js';
import { readLines } from '../../tables/read-lines.js';

/** One item of a list. */
export interface ListedItem {
  /** Where it stands in the list, from 1. */
  readonly line: number;
  /** What it names; null if `fault` says why it can't be checked. */
  readonly address: string | null;
  /** The caller's own name for it. */
  readonly ref: string | null;
  readonly fault: CheckError | null;
}

/** Gives the address that is fetched for what an item says; throws CheckError invalid_url. */
type ParseAddress = (text: string) => string;

/** Names of the member or column with the address. */
const ADDRESS_NAMES = ['url', 'image_url'];
const REF_NAME = 'ref';
/** Longest `ref`; as long as the key of an object in a store. */
const MAX_REF_LENGTH = 1024;
/** Members and items of one line; those that mean nothing here are let pass. */
const MAX_PARTS = 1000;
const OPENING_BRACE = 0x7b;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * The items of a list. One that can't be checked has a `fault` and stops nobody else. Throws CheckError
 * invalid_request, which names the line, for a list that is none. Faults: not UTF-8, a line too long, a line that is no
 * JSON object, CSV without the column or with broken quotes, nothing in it.
 */
export async function* readList(
  source: AsyncIterable<Buffer>,
  parse: ParseAddress,
): AsyncGenerator<ListedItem> {
  let isEmpty = true;
  try {
    for await (const item of await readEntries(asUtf8(source))) {
      isEmpty = false;
      yield toItem(item, parse);
    }
  } catch (error) {
    if (error instanceof ListFault) throw invalid(error.message);
    throw error;
  }
  if (isEmpty) throw invalid('the list is empty: it names no image');
}

/** One item as it was written: the values may be anything. */
interface Entry {
  readonly line: number;
  readonly address: unknown;
  readonly ref: unknown;
}

/** An entry, judged. */
export function toItem({ line, address, ref }: Entry, parse: ParseAddress): ListedItem {
  const name = typeof ref === 'number' ? String(ref) : (ref ?? '');
  const isRef = typeof name === 'string' && name.length <= MAX_REF_LENGTH && !/\p{Cc}|\p{Cs}/u.test(name);
  if (!isRef) {
    const expected = `a text of at most ${MAX_REF_LENGTH} characters, without control characters`;
    return { line, address: null, ref: null, fault: invalid(`Expected ${expected}, for 'ref'`) };
  }
  const given = { line, ref: name === '' ? null : name };
  try {
    return { ...given, address: parse(typeof address === 'string' ? address.trim() : ''), fault: null };
  } catch (error) {
    if (error instanceof CheckError) return { ...given, address: null, fault: error };
    throw error;
  }
}

async function readEntries(source: AsyncIterable<Buffer>): Promise<AsyncIterable<Entry>> {
  const chunks = source[Symbol.asyncIterator]();
  const read: Buffer[] = [];
  const opening = new Opening();
  // White space without end is no list.
  while (opening.isOpen && read.length <= 1000) {
    const { value, done } = (await chunks.next()) as IteratorResult<Buffer, undefined>;
    if (done === true) break;
    read.push(value);
    opening.add(value);
  }
  const whole = rejoin(read, chunks);
  // Nothing but white space has not even a header: as JSON lines it is empty, or has a line that is too long.
  const { first } = opening;
  return first === undefined || first === OPENING_BRACE ? readObjects(whole) : readTable(whole);
}

/** What a list begins with, looked at once as it comes: to begin anew with each chunk takes the square of the time. */
class Opening {
  /** The first byte that is no white space; undefined if there is none yet. */
  first: number | undefined;
  #lineBytes = 0;
  #isTooLong = false;

  /** Whether more has to come: false once a blank line is too long for either reader. */
  get isOpen(): boolean {
    return this.first === undefined && !this.#isTooLong;
  }

  /** Takes the next chunk. */
  add(chunk: Buffer): void {
    for (const byte of chunk) {
      if (byte > 0x20) {
        this.first = byte;
        return;
      }
      // To CSV each of the two alone ends a line.
      const isBreak = byte === LINE_FEED || byte === CARRIAGE_RETURN;
      this.#lineBytes = isBreak ? 0 : this.#lineBytes + 1;
      this.#isTooLong ||= this.#lineBytes > MAX_LINE_BYTES;
    }
  }
}

async function* readObjects(source: AsyncIterable<Buffer>): AsyncGenerator<Entry> {
  for await (const { number, text } of readLines(source)) {
    const value = parseObject(text);
    if (value === null)
      throw new ListFault(`line ${number} of the list is not a JSON object, such as {"url": "https://..."}`);
    yield { line: number, address: value.url ?? value.image_url, ref: value[REF_NAME] };
  }
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value = parseBounded(Buffer.from(text), MAX_PARTS);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

async function* readTable(source: AsyncIterable<Buffer>): AsyncGenerator<Entry> {
  let columns: { address: number; ref: number } | null = null;
  for await (const { line, cells } of readRows(source)) {
    if (columns === null) columns = findColumns(cells, line);
    else yield { line, address: cells[columns.address], ref: cells[columns.ref] };
  }
}

function findColumns(header: readonly string[], line: number): { address: number; ref: number } {
  const address = findColumn(header, ADDRESS_NAMES);
  if (address !== -1) return { address, ref: findColumn(header, [REF_NAME]) };
  throw new ListFault(
    `line ${line} of the list is no header of CSV with a column 'url' or 'image_url', and no JSON object`,
  );
}

function invalid(message: string): CheckError {
  return new CheckError('invalid_request', message);
}
