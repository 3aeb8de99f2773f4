// Opens a bucket on a real S3-compatible server, and sets this process's AWS variables to it.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import S3rver from '@20minutes/s3rver';

/** An open bucket. */
export interface Bucket {
  readonly name: string;
  put(key: string, content: Uint8Array): Promise<void>;
  /** Takes the server offline, so that every client that connects is disconnected. */
  takeAway(): Promise<Outage>;
  /** Closes the server and restores the variables. */
  close(): Promise<void>;
}

/** A period in which the server is offline. */
interface Outage {
  /** Number of connections that were disconnected so far. */
  readonly cutOff: number;
  /** Brings the server back with its contents. */
  end(): Promise<void>;
}

/** Opens an empty bucket. */
export async function openBucket(name: string): Promise<Bucket> {
  const folder = mkdtempSync(join(tmpdir(), 'telltale-s3-'));
  const open = (port: number): S3rver =>
    new S3rver({
      address: '127.0.0.1',
      port,
      silent: true,
      // The server computes signatures of list requests differently from S3, so it must accept mismatches.
      allowMismatchedSignatures: true,
      directory: folder,
      configureBuckets: [{ name }],
    });
  let server = open(0);
  const { port } = await server.run();
  const before = { ...process.env };
  // The server has only this account.
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
    async takeAway() {
      await server.close();
      let cutOff = 0;
      const silentServer = createServer((socket) => {
        cutOff += 1;
        socket.destroy();
      });
      await new Promise<void>((resolve) => silentServer.listen(port, '127.0.0.1', resolve));
      return {
        get cutOff() {
          return cutOff;
        },
        async end() {
          await new Promise((resolve) => silentServer.close(resolve));
          server = open(port);
          await server.run();
        },
      };
    },
    async close() {
      client.destroy();
      await server.close();
      process.env = before;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
