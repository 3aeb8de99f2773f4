// Stores images in S3-compatible storage. Endpoint, region and credentials come from the AWS environment variables.
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { ImageStore } from './image-store.js';

/** Stores images in `bucket` under keys that begin with `prefix/`; an empty `prefix` adds nothing. */
export function createS3Store(bucket: string, prefix: string): ImageStore {
  const client = new S3Client({
    // Puts the bucket's name into the path, because storage of other vendors has one host name for all buckets.
    forcePathStyle: true,
    // Checksums are Amazon's extension, which other storage may refuse.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 2,
  });
  const nameOf = (key: string): { Bucket: string; Key: string } => ({
    Bucket: bucket,
    Key: prefix === '' ? key : `${prefix}/${key}`,
  });
  return {
    async put(key, bytes, signal) {
      const command = new PutObjectCommand({
        ...nameOf(key),
        Body: bytes,
        ContentType: 'application/octet-stream',
      });
      await client.send(command, { abortSignal: signal });
    },
    async open(key) {
      try {
        const { Body } = await client.send(new GetObjectCommand(nameOf(key)));
        return Body instanceof Readable ? Body : null;
      } catch (error) {
        if (error instanceof NoSuchKey) return null;
        throw error;
      }
    },
    async delete(key) {
      await client.send(new DeleteObjectCommand(nameOf(key)));
    },
    close: () => client.destroy(),
  };
}
