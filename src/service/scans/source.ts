// Scans of objects in the operator's bucket: checks that an account may scan a prefix, and lists its objects.
import type { StoreSetting } from '../../config.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { ObjectSource } from '../../storage/images/s3-source.js';
import { toItem, type ListedItem } from './read-list.js';

const ADDRESS = /^s3:\/\/([^/]+)(?:\/(.*))?$/s;

/**
 * Returns the prefix of object keys in `address`. Throws CheckError invalid_request unless the bucket is the
 * service's configured store.
 */
export function readPrefix(address: string, store: StoreSetting): string {
  const [, bucket, prefix = ''] = ADDRESS.exec(address) ?? [];
  if (bucket === undefined)
    throw new CheckError(
      'invalid_request',
      "Expected s3://BUCKET/PREFIX for 'source' but received another text",
    );
  if (store.kind !== 's3' || store.bucket !== bucket)
    throw new CheckError(
      'invalid_request',
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
  throw new CheckError(
    'invalid_request',
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
  if (line === 0) throw new CheckError('invalid_request', "there is no object below the prefix of 'source'");
}

/** Returns the object key in an address from `listObjects`, or null for an address on the web. */
export function readKey(address: string): string | null {
  return ADDRESS.exec(address)?.[2] ?? null;
}
