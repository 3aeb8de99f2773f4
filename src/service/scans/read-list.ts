// Reads the list of a scan item by item, as JSON lines or as CSV. The first character shows the format.
import { parseBounded } from 'telltale-engine/internal/base/bounded-json.js';
import { CheckError, invalidRequest } from 'telltale-engine/internal/base/errors.js';
import { asUtf8, ListFault, MAX_LINE_BYTES, readLines } from '../../tables/read-lines.js';
import { findColumn, readRows, rejoin } from '../../tables/read-rows.js';
import type { StoreSetting } from '../../config.js';
import type { ObjectSource } from '../../storage/images/s3-source.js';

export interface ListedItem {
  /** Number of the line in the list, from 1. */
  readonly line: number;
  /** Address of the image, or null if `fault` says why the item can't be checked. */
  readonly address: string | null;
  /** Caller's own reference for the image. */
  readonly ref: string | null;
  readonly fault: CheckError | null;
}

/** Function that validates an address and returns the address to fetch. Throws CheckError invalid_url. */
type ParseAddress = (text: string) => string;

/** Possible names of the JSON field or CSV column that has the address. */
const ADDRESS_NAMES = ['url', 'image_url'];
const REF_NAME = 'ref';
/** Maximum length of a `ref`. Equals the maximum length of an object key in S3. */
const MAX_SCAN_REF_CHARACTERS = 1024;
/** Maximum number of JSON fields and array items per line, including unknown fields, which are ignored. */
const MAX_PARTS = 1000;
const OPENING_BRACE = 0x7b;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Yields the items of a list. An item that can't be checked has a `fault` and does not affect other items.
 * Throws CheckError invalid_request, naming the line, if the list is not UTF-8, has no items, or has a line
 * that is too long or not a JSON object; also for CSV without the column or with broken quotes.
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
    if (error instanceof ListFault) throw invalidRequest(error.message);
    throw error;
  }
  if (isEmpty) throw invalidRequest('The list contains no image');
}

/** An item before validation, with values of any type. */
interface Entry {
  readonly line: number;
  readonly address: unknown;
  readonly ref: unknown;
}

/** Validates an item. Reports an error in `fault`. */
export function toItem({ line, address, ref }: Entry, parse: ParseAddress): ListedItem {
  const name = typeof ref === 'number' ? String(ref) : (ref ?? '');
  const isRef =
    typeof name === 'string' && name.length <= MAX_SCAN_REF_CHARACTERS && !/\p{Cc}|\p{Cs}/u.test(name);
  if (!isRef) {
    const expected = `a text of at most ${MAX_SCAN_REF_CHARACTERS} characters, without control characters`;
    return { line, address: null, ref: null, fault: invalidRequest(`Expected ${expected}, for 'ref'`) };
  }
  const item = { line, ref: name === '' ? null : name };
  try {
    return { ...item, address: parse(typeof address === 'string' ? address.trim() : ''), fault: null };
  } catch (error) {
    if (error instanceof CheckError) return { ...item, address: null, fault: error };
    throw error;
  }
}

async function readEntries(source: AsyncIterable<Buffer>): Promise<AsyncIterable<Entry>> {
  const chunks = source[Symbol.asyncIterator]();
  const read: Buffer[] = [];
  const opening = new Opening();
  // Limits the chunks, because white space without an end is not a list.
  while (opening.isOpen && read.length <= 1000) {
    const { value, done } = (await chunks.next()) as IteratorResult<Buffer, undefined>;
    if (done === true) break;
    read.push(value);
    opening.add(value);
  }
  const whole = rejoin(read, chunks);
  // Without a first character, reading JSON lines reports that the list is empty or has a long line.
  const { first } = opening;
  return first === undefined || first === OPENING_BRACE ? readObjects(whole) : readTable(whole);
}

/** Finds the first character in one pass. Starting again with each chunk would take quadratic time. */
class Opening {
  /** First byte that is not white space, or undefined before one was read. */
  first: number | undefined;
  #lineBytes = 0;
  #isTooLong = false;

  /** True while the first character is missing; false after a blank line that is too long for any list. */
  get isOpen(): boolean {
    return this.first === undefined && !this.#isTooLong;
  }

  /** Reads the next chunk. */
  add(chunk: Buffer): void {
    for (const byte of chunk) {
      if (byte > 0x20) {
        this.first = byte;
        return;
      }
      // In CSV, a single line feed or carriage return ends a line.
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
    `Expected a CSV header with a column 'url' or 'image_url', or JSON objects, in line ${line} of the list`,
  );
}

const ADDRESS = /^s3:\/\/([^/]+)(?:\/(.*))?$/s;

/**
 * Returns the prefix of object keys in `address`. Throws CheckError invalid_request unless the bucket is the
 * service's configured store.
 */
export function readPrefix(address: string, store: StoreSetting): string {
  const [, bucket, prefix = ''] = ADDRESS.exec(address) ?? [];
  if (bucket === undefined)
    throw invalidRequest("Expected s3://BUCKET/PREFIX for 'source' but received another text");
  if (store.kind !== 's3' || store.bucket !== bucket)
    throw invalidRequest(
      "Expected the bucket of this service's store for 'source'. Other buckets can't be scanned",
    );
  return prefix;
}

/**
 * Requires a prefix that `allowed` permits (`/`: any; null: none). Throws CheckError invalid_request.
 */
export function requireAllowed(bucket: string, prefix: string, allowed: string | null): void {
  if (allowed === '/' || (allowed !== null && prefix.startsWith(allowed))) return;
  const part = allowed === null ? 'nothing of the bucket' : `what lies below s3://${bucket}/${allowed} alone`;
  throw invalidRequest(
    `with 'source' this account may read ${part}; an operator sets it in the console or by 'telltale accounts prefix'`,
  );
}

/** Yields the objects below a prefix as scan items, with the key as `ref` and the position as line. */
export async function* listObjects(
  source: ObjectSource,
  bucket: string,
  prefix: string,
): AsyncGenerator<ListedItem> {
  let line = 0;
  for await (const key of source.list(prefix)) {
    line += 1;
    yield toItem({ line, address: `s3://${bucket}/${key}`, ref: key }, (address) => address);
  }
  if (line === 0) throw invalidRequest("there is no object below the prefix of 'source'");
}

/** Returns the object key in an address from `listObjects`, or null for an address on the web. */
export function readKey(address: string): string | null {
  return ADDRESS.exec(address)?.[2] ?? null;
}
