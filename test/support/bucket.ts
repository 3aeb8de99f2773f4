// A bucket of a real S3-compatible server, which the AWS variables of this process point to.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import S3rver from '@20minutes/s3rver';

/** A bucket that is open. */
export interface Bucket {
  readonly name: string;
  put(key: string, content: Uint8Array): Promise<void>;
  /** Closes the server and puts the variables back. */
  close(): Promise<void>;
}

/** Opens an empty one. */
export async function openBucket(name: string): Promise<Bucket> {
  const folder = mkdtempSync(join(tmpdir(), 'telltale-s3-'));
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    // It reckons those of listings otherwise than S3 does.
    allowMismatchedSignatures: true,
    directory: folder,
    configureBuckets: [{ name }],
  });
  const { port } = await server.run();
  const before = { ...process.env };
  // The server knows this one account.
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
  });
  const client = new S3Client({ forcePathStyle: true });
  return {
    name,
    put: async (Key, Body) => {
      await client.send(new PutObjectCommand({ Bucket: name, Key, Body }));
    },
    async close() {
      client.destroy();
      await server.close();
      process.env = before;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
