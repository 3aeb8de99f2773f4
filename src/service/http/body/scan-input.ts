// Reads the body of POST /v1/scans: a list as a file, items in JSON, or a part of the service's bucket.
import { Readable } from 'node:stream';
import type { StoreSetting } from '../../../config.js';
import { findAccountById } from '../../../accounts/accounts.js';
import type { ProfileName } from 'telltale-engine/internal/check/types.js';
import { CheckError, invalidRequest } from 'telltale-engine/internal/base/errors.js';
import { receiveItems, type Owner, type Received } from '../../scans/create-items.js';
import {
  readList,
  toItem,
  type ListedItem,
  listObjects,
  readPrefix,
  requireAllowed,
} from '../../scans/read-list.js';
import type { ScanOptions } from '../../scans/scan.js';
import type { Database } from '../../../storage/db/database.js';
import type { PeriodUsage } from '../../../accounts/usage/usage.js';
import type { ObjectSource } from '../../../storage/images/s3-source.js';
import { ByteCollector } from 'telltale-engine/internal/base/bytes.js';
import { readCheckOptions } from '../checks/check-options.js';
import { collectFields, refusalOfJson, requireValid } from './small-input.js';
import { contentType, receiveBody } from './receive-body.js';
import { parseImageUrl } from '../../outbound/fetch-image.js';
import { receiveList } from './multipart.js';
import { ScanItem, ScanJson, ScanOptions as ScanOptionsSchema } from '../openapi/scan-schemas.js';
import type { Context } from '../state.js';
import { EventLoopTurn } from 'telltale-engine/internal/base/concurrency.js';
import { endOfString, JsonFault, parseBounded } from 'telltale-engine/internal/base/bounded-json.js';
import { MAX_LINE_BYTES } from '../../../tables/read-lines.js';

/** Maximum bytes of a JSON body. */
const MAX_JSON_BYTES = 4 * 1_048_576;

export interface ScanInputDeps {
  readonly database: Database;
  readonly store: StoreSetting;
  /** Bucket of the store, or null if the store is a folder. */
  readonly objects: ObjectSource | null;
  /** Profile for requests that name no profile. */
  readonly profile: ProfileName;
}

/** Facts about the requested scan that the body does not contain. */
interface ScanRequest {
  readonly owner: Owner;
  /** Used quota, or null for a duplicate request. */
  readonly usage: PeriodUsage | null;
  /** True if a browser page uploads the images one by one, so that the list has only names. */
  readonly isUploaded: boolean;
}

/** A received list with the options for its checks. */
export interface ScanInput {
  readonly received: Received;
  /** Prefix of the objects in the bucket, or null if the caller sent a list. */
  readonly prefix: string | null;
  readonly options: ScanOptions;
}

/**
 * Receives the body and stores its items for a scan that is not visible yet. Throws CheckError
 * unsupported_media_type, invalid_request (naming the line), plan_required, quota_exceeded, unavailable.
 */
export async function readScanInput(
  ctx: Context,
  deps: ScanInputDeps,
  scanRequest: ScanRequest,
): Promise<ScanInput> {
  const { owner, usage, isUploaded } = scanRequest;
  const receive = (items: AsyncIterable<ListedItem>): Promise<Received> =>
    receiveItems(deps.database, owner, usage, items);
  const type = contentType(ctx);
  if (type === 'multipart/form-data') {
    const { list, fields } = await receiveList(ctx, (source) =>
      receive(readList(source, isUploaded ? noAddress : parseAddress)),
    );
    // Reports an unknown field before a missing list, because that field was probably meant as the list.
    const options = readOptions(collectFields(fields), 'the form', deps.profile);
    if (list === null) throw invalidRequest("Expected a list, in the form field 'file', but received none");
    return { received: list, prefix: null, options };
  }
  if (type === 'application/json' && !isUploaded) {
    const { rest, items, refuseJson } = await readJson(ctx);
    const { items: itemArray, source, ...options } = rest;
    if ((itemArray === undefined) === (source === undefined))
      throw invalidRequest(
        `Expected exactly one of items and source but received ${itemArray ? 'both' : 'neither'}`,
      );
    const scanOptions = readOptions(options, 'the JSON body', deps.profile);
    if (source === undefined) {
      const listedItems = listItems(items ?? Readable.from(itemArray ?? []));
      return { received: await receive(listedItems).catch(refuseJson), prefix: null, options: scanOptions };
    }
    const { bucket, objects, prefix } = await openSource(source, deps, owner);
    // A duplicate request is recognized by its prefix, so the bucket is not listed again.
    const listedItems = usage === null ? Readable.from([]) : listObjects(objects, bucket, prefix);
    return { received: await receive(listedItems), prefix, options: scanOptions };
  }
  throw new CheckError(
    'unsupported_media_type',
    `Expected the content type multipart/form-data${isUploaded ? '' : ' or application/json'} but received '${ctx.get('content-type').slice(0, 100)}'`,
  );
}

/**
 * Returns the validated body without its items, and the items, or null if the field's name has JSON escapes.
 * `refuseJson` converts an error of reading an item.
 */
async function readJson(ctx: Context) {
  const collector = new ByteCollector(MAX_JSON_BYTES);
  const refuse = (): CheckError =>
    invalidRequest(`the JSON body has more than 4 MB (${MAX_JSON_BYTES} bytes); send the list as a file`);
  await receiveBody(ctx, { maxBytes: MAX_JSON_BYTES, refuse }, (chunk) => void collector.append(chunk));
  const bytes = collector.view();
  const refuseJson = (error: unknown): never => {
    throw refusalOfJson(error, bytes);
  };
  const { rest, items } = await readItemsBody(bytes, 'items').catch(refuseJson);
  return { rest: requireValid(ScanJson, rest, 'the JSON body'), items, refuseJson };
}

function readOptions(received: unknown, bodyName: string, profile: ProfileName): ScanOptions {
  requireValid(ScanOptionsSchema, received, bodyName);
  const checkOptions = readCheckOptions({ [bodyName]: received });
  return { profile: checkOptions.profile ?? profile, include: checkOptions.include };
}

/** Yields the items of a JSON body. Uses an item's position, from 1, as its line number. */
async function* listItems(items: AsyncIterable<unknown>): AsyncGenerator<ListedItem> {
  let line = 0;
  for await (const item of items) {
    line += 1;
    const { url, ref } = requireValid(ScanItem, item, `the JSON body, item ${line}`);
    yield toItem({ line, address: url, ref }, parseAddress);
  }
  if (line === 0) throw invalidRequest('The list contains no image');
}

/** Returns the part of the bucket that `source` names. Throws CheckError invalid_request. */
async function openSource(
  source: string,
  { database, store, objects }: ScanInputDeps,
  { accountId }: Owner,
): Promise<{ readonly bucket: string; readonly objects: ObjectSource; readonly prefix: string }> {
  const prefix = readPrefix(source, store);
  if (store.kind !== 's3' || objects === null) throw invalidRequest("'source' needs a store in a bucket");
  const account = await findAccountById(database, accountId);
  requireAllowed(store.bucket, prefix, account?.scanPrefix ?? null);
  return { bucket: store.bucket, objects, prefix };
}

/** Returns no address, because a browser page uploads the images of the scan. */
function noAddress(): string {
  return '';
}

function parseAddress(text: string): string {
  return parseImageUrl(text).href;
}

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
