// Reads the body of POST /v1/scans: a list as a file, items in JSON, or a part of the service's bucket.
import { Readable } from 'node:stream';
import type { StoreSetting } from '../../../config.js';
import { findAccountById } from '../../../accounts/accounts.js';
import type { ProfileName } from 'telltale-engine/internal/check/types.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { receiveItems, type Owner, type Received } from '../../scans/create-items.js';
import { readList, toItem, type ListedItem } from '../../scans/read-list.js';
import type { ScanOptions } from '../../scans/scan.js';
import { listObjects, readPrefix, requireAllowed } from '../../scans/source.js';
import type { Database } from '../../../storage/db/database.js';
import type { PeriodUsage } from '../../../accounts/usage/usage.js';
import type { ObjectSource } from '../../../storage/images/s3-source.js';
import { ByteCollector } from 'telltale-engine/internal/base/byte-collector.js';
import { readCheckOptions } from '../checks/check-options.js';
import { collectFields } from './query.js';
import { contentType, receiveBody } from './receive-body.js';
import { parseImageUrl } from '../../outbound/fetch-image.js';
import { readItemsBody } from './json-items.js';
import { refusalOfJson, requireValid } from './read-json.js';
import { receiveList } from './multipart.js';
import { ScanItem, ScanJson, ScanOptions as ScanOptionsSchema } from '../openapi/scan-schemas.js';
import type { Context } from '../state.js';

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
    if (list === null) throw invalid("Expected a list, in the form field 'file', but received none");
    return { received: list, options };
  }
  if (type === 'application/json' && !isUploaded) {
    const { rest, items, refuseJson } = await readJson(ctx);
    const { items: itemArray, source, ...options } = rest;
    if ((itemArray === undefined) === (source === undefined))
      throw invalid(
        `Expected exactly one of items and source but received ${itemArray ? 'both' : 'neither'}`,
      );
    const scanOptions = readOptions(options, 'the JSON body', deps.profile);
    const listedItems =
      source === undefined
        ? listItems(items ?? Readable.from(itemArray ?? []))
        : await openSource(source, deps, owner);
    return { received: await receive(listedItems).catch(refuseJson), options: scanOptions };
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
    invalid(`the JSON body has more than 4 MB (${MAX_JSON_BYTES} bytes); send the list as a file`);
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
  if (line === 0) throw invalid('The list contains no image');
}

async function openSource(
  source: string,
  { database, store, objects }: ScanInputDeps,
  { accountId }: Owner,
): Promise<AsyncIterable<ListedItem>> {
  const prefix = readPrefix(source, store);
  if (store.kind !== 's3' || objects === null) throw invalid("'source' needs a store in a bucket");
  const account = await findAccountById(database, accountId);
  requireAllowed(store.bucket, prefix, account?.scanPrefix ?? null);
  return listObjects(objects, store.bucket, prefix);
}

/** Returns no address, because a browser page uploads the images of the scan. */
function noAddress(): string {
  return '';
}

function parseAddress(text: string): string {
  return parseImageUrl(text).href;
}

function invalid(message: string): CheckError {
  return new CheckError('invalid_request', message);
}
