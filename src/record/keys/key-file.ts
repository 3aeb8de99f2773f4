// Reading and writing a key file in PEM: the private key that signs records, then the public keys of its
// predecessors. A line above each key states when it signed.
import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from 'telltale-engine/internal/base/files.js';
import { StartError } from 'telltale-engine/internal/base/errors.js';
import { RecordFault } from '../faults.js';
import { generateSigner, publicPem, readPublicPem, readSigner } from './keys.js';
import type { PublicKey, RecordKeys, Signer } from './keys.js';
import { KEEP_MS, readPeriod } from './keys.js';

const BLOCK = /(?:^# ([^\n]*)\n)?(-----BEGIN (PRIVATE|PUBLIC) KEY-----[^-]*-----END \3 KEY-----)/gm;
const MOMENT = /(\w+)=(\S+)/g;

/** Keys in a key file. */
export interface KeyFile {
  readonly signer: Signer;
  readonly former: readonly PublicKey[];
}

/**
 * Returns the keys of a file, which is read again at each call. If `isMade` is true, the first call creates a
 * missing file. If it is false, calls reject with StartError `config_invalid` for a missing file.
 */
export function openKeyFile(path: string, isMade: boolean): RecordKeys {
  const open = async (): Promise<KeyFile> => {
    const existingFile = await readKeyFile(path);
    if (existingFile !== null) return existingFile;
    if (!isMade)
      throw new StartError(
        'config_invalid',
        `the file of TELLTALE_RECORD_KEY, ${path}, is missing; 'telltale record key rotate' creates it`,
      );
    await writeKeyFile(path, { signer: begin(), former: [] }, link);
    // If another process creates the file first, this process uses the other one's key.
    return (await readKeyFile(path)) ?? open();
  };
  return {
    signer: async () => (await open()).signer,
    publicKeys: async () => {
      const { signer, former } = await open();
      return [signer.publicKey, ...former];
    },
    rotate: () => replace(path),
    async revoke(kid) {
      const present = await open();
      if (present.signer.publicKey.kid === kid) await replace(path);
      const { signer, former } = await open();
      if (!former.some((key) => key.kid === kid))
        throw new RecordFault(`this installation has no key ${kid}`);
      const revoked = { revoked_at: new Date().toISOString() };
      const changed = former.map((key) => (key.kid === kid ? { ...key, ...revoked } : key));
      await writeKeyFile(path, { signer, former: changed }, rename);
    },
  };
}

/** Writes a new signing key into the file. Of the previous key, only the public part stays. */
async function replace(path: string): Promise<Signer> {
  const before = await readKeyFile(path);
  const endOfUse = { signs_until: new Date(Date.now() + KEEP_MS).toISOString() };
  const former = before === null ? [] : [{ ...before.signer.publicKey, ...endOfUse }, ...before.former];
  const signer = begin();
  await writeKeyFile(path, { signer, former }, rename);
  return signer;
}

/** Generates a signing key whose period of validity begins now. */
function begin(): Signer {
  const signer = generateSigner();
  return { ...signer, publicKey: { ...signer.publicKey, signs_from: new Date().toISOString() } };
}

/** Reads the keys of a file; null if the file is missing. Rejects with StartError `config_invalid`. */
export async function readKeyFile(path: string): Promise<KeyFile | null> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw unusable(path, cause);
  });
  if (text === null) return null;
  try {
    const blocks = [...text.matchAll(BLOCK)].map(([, note = '', pem = '', kind]) => ({
      pem,
      isSecret: kind === 'PRIVATE',
      period: readPeriod(
        Object.fromEntries(
          [...note.matchAll(MOMENT)].map(([, name = '', value]): [string, unknown] => [name, value]),
        ),
      ),
    }));
    const [secret, ...otherSecrets] = blocks.filter(({ isSecret }) => isSecret);
    if (secret === undefined || otherSecrets.length > 0) throw new Error('it must contain one private key');
    const signer = readSigner(secret.pem);
    return {
      signer: { ...signer, publicKey: { ...signer.publicKey, ...secret.period } },
      former: blocks
        .filter(({ isSecret }) => !isSecret)
        .map(({ pem, period }) => ({ ...readPublicPem(pem), ...period })),
    };
  } catch (cause) {
    throw unusable(path, cause);
  }
}

/**
 * Writes a temporary file and moves it to `path`, so that nobody reads a partial file. `put` moves it:
 * rename, or link to leave an existing file unchanged.
 */
async function writeKeyFile(path: string, { signer, former }: KeyFile, put: typeof link): Promise<void> {
  const newFile = `${path}.${randomUUID()}.new`;
  try {
    await makeFolder(dirname(path), 0o700);
    const parts = [
      note(signer.publicKey),
      signer.pem,
      ...former.flatMap((key) => [note(key), publicPem(key)]),
    ];
    await writeFile(newFile, parts.join(''), { mode: 0o600, flush: true });
    await put(newFile, path).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
  } catch (cause) {
    throw unusable(path, cause);
  } finally {
    await rm(newFile, { force: true });
  }
}

/** Returns a line with a key's period, which PEM parsers ignore, or an empty text without a period. */
function note(key: PublicKey): string {
  const moments = Object.entries(readPeriod({ ...key })).map(([name, value]) => `${name}=${value}`);
  return moments.length === 0 ? '' : `# ${moments.join(' ')}\n`;
}

function unusable(path: string, cause: unknown): StartError {
  const { code, message } = cause as NodeJS.ErrnoException;
  return new StartError('config_invalid', `the key of records in ${path} can't be used: ${code ?? message}`, {
    cause,
  });
}
