// Which credentials an image has: those in the file, else those that the file points to, if these may be fetched.
import type { MetadataText, SniffedImage } from '../../engine/types.js';
import type { Deadline } from '../deadline.js';
import { readXmp } from '../marks/xmp.js';
import type { CredentialReader, Credentials, ReadOptions } from '../types.js';

/**
 * The bytes of a manifest store at an address that a file names. Rejects if they is unavailable: the check then goes on as
 * if nothing were allowed.
 */
export type FetchManifest = (
  address: string,
  signal: AbortSignal,
  accountId: string | undefined,
) => Promise<Uint8Array>;

/** What credentials are read with. */
export interface CredentialSources {
  readonly credentials: CredentialReader;
  /** Default: no manifest is fetched; its address is told all the same. */
  readonly fetchManifest?: FetchManifest | undefined;
}

/** An image whose header and texts are known. */
interface DescribedFile {
  readonly bytes: Uint8Array;
  readonly image: SniffedImage;
  readonly declared: readonly MetadataText[];
  readonly accountId: string | undefined;
}

/** What was found. */
export interface FoundCredentials {
  /** Null if there are none, or none that may be fetched. */
  readonly credentials: Credentials | null;
  /** The address that a file without a manifest of its own gives for it; null if it gives none. */
  readonly remoteManifest: string | null;
}

/**
 * Of the time that a check has, the part that credentials may wait for their turn, or for a host; the rest is the
 * detectors'.
 */
const WAITING_SHARE = 0.5;

/**
 * The credentials, in the time that the check has. What waits for half of it is unreadable: a crowd before the reader, or
 * a slow host, must not cost the verdict. What is still to be read when nobody waits for it gives its turn away.
 */
export async function findCredentials(
  { credentials, fetchManifest }: CredentialSources,
  { bytes, image, declared, accountId }: DescribedFile,
  deadline: Deadline,
): Promise<FoundCredentials> {
  const remoteManifest = image.hasManifest ? null : findRemoteManifest(declared);
  const isFetched = remoteManifest !== null && fetchManifest !== undefined;
  if (!image.hasManifest && !isFetched) return { credentials: null, remoteManifest };
  const abandoned = new AbortController();
  const { deadlineMs } = deadline.remaining();
  const abandon = (): void => abandoned.abort();
  const timer = deadlineMs === undefined ? undefined : setTimeout(abandon, deadlineMs * WAITING_SHARE);
  const { signal } = abandoned;
  const read = (options: ReadOptions): Promise<Credentials | null> =>
    deadline.race(credentials.read(bytes, image, { signal, accountId, ...options }));
  try {
    if (!isFetched) return { credentials: await read({}), remoteManifest };
    const fetching = fetchManifest(remoteManifest, signal, accountId).catch(() => null);
    const manifest = await deadline.race(fetching);
    return { credentials: manifest && (await read({ manifest })), remoteManifest };
  } finally {
    clearTimeout(timer);
    abandon();
  }
}

/** Characters of an address. */
const LONGEST = 2048;

/** The address of `dcterms:provenance` as it is written; null if no packet has an absolute http or https one. */
export function findRemoteManifest(texts: readonly MetadataText[]): string | null {
  for (const { where, text } of texts) {
    // Most packets lack it: searching costs less than reading.
    if (where !== 'xmp' || !text.includes('provenance')) continue;
    const found = readXmp(text).find((one) => one.where === 'xmp:dcterms:provenance')?.text ?? '';
    if (/^https?:\/\/[\x21-\x7e]+$/.test(found) && found.length <= LONGEST && URL.canParse(found))
      return found;
  }
  return null;
}
