// The operator's bucket as a source of pictures; endpoint, region and credentials come from the AWS variables.
import { GetObjectCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { CheckError } from '../errors.js';
import { MAX_IMAGE_BYTES } from '../check/limits.js';
import type { ObjectSource } from './object-source.js';

/** Longest that an object may take to come. */
const READ_TIMEOUT_MS = 10_000;

/** Reads `bucket`; `keptPrefix` is where images are kept for callers, who did not agree to be scanned by others. */
export function createS3Source(bucket: string, keptPrefix: string): ObjectSource {
  const client = new S3Client({ forcePathStyle: true, maxAttempts: 2 });
  const isKept = (key: string): boolean =>
    keptPrefix === '' ? /^acc_[0-9A-Z]{26}\//.test(key) : key.startsWith(`${keptPrefix}/`);
  return {
    async *list(prefix) {
      try {
        for await (const page of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix }))
          for (const { Key: key = '', Size: size = 0 } of page.Contents ?? [])
            if (key !== '' && size > 0 && !isKept(key)) yield key;
      } catch (error) {
        throw new CheckError('unavailable', 'the store could not be listed', { cause: error });
      }
    },
    async read(key, signal) {
      const timeout = AbortSignal.timeout(READ_TIMEOUT_MS);
      try {
        const { Body, ContentLength } = await client.send(
          new GetObjectCommand({ Bucket: bucket, Key: key }),
          {
            abortSignal: AbortSignal.any([signal, timeout]),
          },
        );
        if ((ContentLength ?? 0) > MAX_IMAGE_BYTES)
          throw new CheckError(
            'image_too_large',
            `the object has more than 20 MB (${MAX_IMAGE_BYTES} bytes)`,
          );
        if (!Body) throw new CheckError('url_fetch_failed', 'the object has no content');
        return await Body.transformToByteArray();
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof CheckError) throw error;
        throw new CheckError('url_fetch_failed', 'the object could not be read from the store', {
          cause: error,
        });
      }
    },
    close: () => client.destroy(),
  };
}
