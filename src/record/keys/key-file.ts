// The key in a file: PEM, the private key that signs first, then the public ones that it followed.
import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StartError } from '../../base/errors.js';
import { generateSigner, publicPem, readPublicPem, readSigner } from './keys.js';
import type { PublicKey, RecordKeys, Signer } from './keys.js';

const BLOCK = /-----BEGIN (PRIVATE|PUBLIC) KEY-----[^-]*-----END \1 KEY-----/g;

interface KeyFile {
  readonly signer: Signer;
  readonly former: readonly PublicKey[];
}

/**
 * Keys in the file `path`, read anew at each call. `isMade`: whether the first call makes the file where it is missing;
 * where it does not, a missing file is a fault of the settings. Rejects with StartError `config_invalid`.
 */
export function openKeyFile(path: string, isMade: boolean): RecordKeys {
  const open = async (): Promise<KeyFile> => {
    const found = await readKeyFile(path);
    if (found !== null) return found;
    if (!isMade)
      throw new StartError(
        'config_invalid',
        `the file of TELLTALE_RECORD_KEY, ${path}, is missing; 'telltale record key rotate' makes it`,
      );
    await writeKeyFile(path, { signer: generateSigner(), former: [] }, link);
    // Whoever came first has the key, which may be another process.
    return (await readKeyFile(path)) ?? open();
  };
  return {
    signer: async () => (await open()).signer,
    publicKeys: async () => {
      const { signer, former } = await open();
      return [signer.publicKey, ...former];
    },
    async rotate() {
      const before = await readKeyFile(path);
      const former = before === null ? [] : [before.signer.publicKey, ...before.former];
      const signer = generateSigner();
      await writeKeyFile(path, { signer, former }, rename);
      return signer;
    },
  };
}

/** The keys of the file; null where there is none. Rejects with StartError `config_invalid`. */
export async function readKeyFile(path: string): Promise<KeyFile | null> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw unusable(path, cause);
  });
  if (text === null) return null;
  try {
    const blocks = text.match(BLOCK) ?? [];
    const secret = blocks.filter((block) => block.startsWith('-----BEGIN PRIVATE'));
    const [pem] = secret;
    if (pem === undefined || secret.length > 1) throw new Error('it must hold one private key');
    const open = blocks.filter((block) => block !== pem);
    return { signer: readSigner(pem), former: open.map(readPublicPem) };
  } catch (cause) {
    throw unusable(path, cause);
  }
}

/** Written beside it and put in place whole; `put` is rename, or link where a file that is there must stay. */
async function writeKeyFile(path: string, { signer, former }: KeyFile, put: typeof link): Promise<void> {
  const fresh = `${path}.${randomUUID()}.new`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(fresh, signer.pem + former.map(publicPem).join(''), { mode: 0o600, flush: true });
    await put(fresh, path).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
  } catch (cause) {
    throw unusable(path, cause);
  } finally {
    await rm(fresh, { force: true });
  }
}

function unusable(path: string, cause: unknown): StartError {
  const { code, message } = cause as NodeJS.ErrnoException;
  return new StartError('config_invalid', `the key of records in ${path} can't be used: ${code ?? message}`, {
    cause,
  });
}
