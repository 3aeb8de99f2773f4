// Issues time stamps (RFC 3161) with the openssl command.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Identity } from './certificates.js';

const run = promisify(execFile);

/** Returns a time stamp token of `data` (DER), issued by an authority whose certificate permits time stamping. */
export async function stampTime(data: Buffer, authority: Identity): Promise<Buffer> {
  const dir = await mkdtemp(join(tmpdir(), 'telltale-time-stamp-'));
  const ts = (...args: string[]): Promise<unknown> => run('openssl', ['ts', ...args], { cwd: dir });
  try {
    await writeFile(join(dir, 'data'), data);
    await writeFile(join(dir, 'serial'), '01');
    await writeFile(join(dir, 'config'), CONFIGURATION);
    await ts('-query', '-data', 'data', '-sha256', '-cert', '-out', 'query');
    const signer = ['-signer', authority.certificatePath, '-inkey', authority.keyPath];
    await ts('-reply', '-queryfile', 'query', '-config', 'config', ...signer, '-token_out', '-out', 'token');
    return await readFile(join(dir, 'token'));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const CONFIGURATION = [
  '[tsa]',
  'default_tsa = authority',
  '[authority]',
  'serial = serial',
  'default_policy = 1.2.3.4.1',
  'signer_digest = sha256',
  'digests = sha256',
  'accuracy = secs:1',
  'ess_cert_id_alg = sha256',
].join('\n');
