// Reads images for scans from the operator's S3 bucket. Endpoint, region and credentials come from the AWS environment
// variables.
import type { Readable } from 'node:stream';
import { GetObjectCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { ByteCollector } from 'telltale-engine/internal/base/bytes.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { MAX_IMAGE_BYTES, MAX_IMAGE_MB } from 'telltale-engine/internal/base/limits.js';
import { isKeptKey } from './image-retention.js';

export interface ObjectSource {
  /**
   * Lists the objects' keys that begin with `prefix`, in order. Leaves out images that Telltale stored. Rejects with
   * CheckError unavailable.
   */
  list(prefix: string): AsyncIterable<string>;
  /**
   * Returns an object's bytes. Rejects with CheckError unavailable if the storage does not respond or fails;
   * url_fetch_failed if it refuses this object; image_too_large; or the signal's reason.
   */
  read(key: string, signal: AbortSignal): Promise<Uint8Array>;
  close(): void;
}

/** Maximum time to read an object. */
const READ_TIMEOUT_MS = 10_000;
const TOO_MANY_REQUESTS = 429;

/** Creates a reader for `bucket`. Hides images that Telltale stored, which no other account may scan. */
export function createS3Source(bucket: string): ObjectSource {
  const client = new S3Client({ forcePathStyle: true, maxAttempts: 2 });
  return {
    async *list(prefix) {
      try {
        for await (const page of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix }))
          for (const { Key: key = '', Size: size = 0 } of page.Contents ?? [])
            if (key !== '' && size > 0 && !isKeptKey(key)) yield key;
      } catch (error) {
        throw new CheckError('unavailable', 'the store could not be listed', { cause: error });
      }
    },
    async read(key, signal) {
      if (isKeptKey(key))
        throw new CheckError('url_fetch_failed', 'the object is an image that Telltale stored');
      const timeout = AbortSignal.timeout(READ_TIMEOUT_MS);
      let isAnswered = false;
      try {
        const { Body, ContentLength } = await client.send(
          new GetObjectCommand({ Bucket: bucket, Key: key }),
          {
            abortSignal: AbortSignal.any([signal, timeout]),
          },
        );
        isAnswered = true;
        if ((ContentLength ?? 0) > MAX_IMAGE_BYTES) throw tooLarge();
        if (!Body) throw new CheckError('url_fetch_failed', 'the object has no content');
        return await readBounded(Body as Readable, ContentLength);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof CheckError) throw error;
        // If the storage responded but sent the object too slowly, trying again would not help.
        const isSlow = isAnswered && timeout.aborted;
        const code = isSlow || isRefusal(error) ? 'url_fetch_failed' : 'unavailable';
        throw new CheckError(code, 'the object could not be read from the store', { cause: error });
      }
    },
    close: () => client.destroy(),
  };
}

/** Reads all bytes, up to the maximum size of an image, even if the announced length is missing or wrong. */
async function readBounded(body: Readable, announced: number | undefined): Promise<Uint8Array> {
  const bytes = new ByteCollector(MAX_IMAGE_BYTES, announced);
  // Throwing out of the loop also destroys the stream.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (bytes.sizeBytes + chunk.byteLength > MAX_IMAGE_BYTES) throw tooLarge();
    bytes.append(chunk);
  }
  return bytes.view();
}

function tooLarge(): CheckError {
  return new CheckError(
    'image_too_large',
    `the object has more than ${MAX_IMAGE_MB} MB (${MAX_IMAGE_BYTES} bytes)`,
  );
}

/** Returns whether the storage refused this object. Any other error means that the storage does not work. */
function isRefusal(error: unknown): boolean {
  const { $metadata } = error as { readonly $metadata?: { readonly httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode;
  return status !== undefined && status >= 400 && status < 500 && status !== TOO_MANY_REQUESTS;
}
