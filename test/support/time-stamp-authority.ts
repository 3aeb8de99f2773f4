// A small RFC 3161 time stamp authority on 127.0.0.1, which uses the openssl command.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Identity } from './certificates.js';

/** A running authority. */
export interface TimeStampAuthority {
  readonly url: string;
  /** Returns the number of time stamps issued. */
  count(): number;
  close(): Promise<void>;
}

/**
 * Connections are closed after each response, because a client could send a request while Node closes an idle
 * one.
 */
const HEADERS = { 'Content-Type': 'application/timestamp-reply', Connection: 'close' };

/** Starts an authority that signs with `identity`, whose certificate must permit time stamping. */
export async function startTimeStampAuthority(identity: Identity): Promise<TimeStampAuthority> {
  const dir = await mkdtemp(join(tmpdir(), 'telltale-time-stamps-'));
  await writeFile(join(dir, 'serial'), '01');
  await writeFile(join(dir, 'tsa.cnf'), configuration(dir));
  let stamped = 0;
  let last: Promise<unknown> = Promise.resolve();

  async function stamp(query: Buffer): Promise<Buffer> {
    const [queryPath, replyPath] = [join(dir, `${stamped}.tsq`), join(dir, `${stamped}.tsr`)];
    stamped += 1;
    await writeFile(queryPath, query);
    const files = ['-queryfile', queryPath, '-out', replyPath, '-config', join(dir, 'tsa.cnf')];
    const signer = ['-signer', identity.certificatePath, '-inkey', identity.keyPath];
    await promisify(execFile)('openssl', ['ts', '-reply', ...files, ...signer]);
    return readFile(replyPath);
  }

  /** Issues one time stamp at a time, because openssl rewrites its file of serial numbers. */
  function stampInTurn(query: Buffer): Promise<Buffer> {
    const turn = last.then(() => stamp(query));
    last = turn.catch(() => undefined);
    return turn;
  }

  const server = createServer((request, response) => {
    void readAll(request)
      .then(stampInTurn)
      .then((reply) => response.writeHead(200, HEADERS).end(reply))
      .catch((cause: unknown) => response.writeHead(500).end(String(cause)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => stamped,
    close: async () => {
      await new Promise((resolve) => server.close(resolve));
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function configuration(dir: string): string {
  return [
    '[tsa]',
    'default_tsa = authority',
    '[authority]',
    `serial = ${join(dir, 'serial')}`,
    'default_policy = 1.2.3.4.1',
    'signer_digest = sha256',
    'digests = sha256, sha384, sha512',
    'accuracy = secs:1',
    'ess_cert_id_alg = sha256',
  ].join('\n');
}
