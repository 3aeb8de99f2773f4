// Finding an image's credentials: embedded ones, else remote ones if fetching is allowed.
import type { MetadataText, SniffedImage } from '../../engine/types.js';
import type { Deadline } from '../deadline.js';
import { readXmp } from '../marks/xmp.js';
import type { CredentialReader, Credentials, ReadOptions } from '../types.js';

/**
 * Fetches the bytes of a manifest store from an address in a file. Rejects if they are unavailable; the check then
 * continues as if fetching were not allowed.
 */
export type FetchManifest = (
  address: string,
  signal: AbortSignal,
  accountId: string | undefined,
) => Promise<Uint8Array>;

/** Sources of credentials. */
export interface CredentialSources {
  readonly credentials: CredentialReader;
  /** Function that fetches manifests; default: none is fetched, but the address is reported. */
  readonly fetchManifest?: FetchManifest | undefined;
}

/** An image with its header and texts. */
interface DescribedFile {
  readonly bytes: Uint8Array;
  readonly image: SniffedImage;
  readonly declared: readonly MetadataText[];
  readonly accountId: string | undefined;
}

/** Found credentials. */
export interface FoundCredentials {
  /** Credentials, or null if the file has no credentials or they may not be fetched. */
  readonly credentials: Credentials | null;
  /** Address of the manifest in a file without an embedded one, or null. */
  readonly remoteManifest: string | null;
}

/** Share of a check's time for which credentials may wait for a process or a host; the rest is for the detectors. */
const WAITING_SHARE = 0.5;

/**
 * Finds the credentials within the check's time. Credentials that wait longer than half of it are unreadable, because
 * busy readers or a slow host must not cost the verdict. A read that nobody waits for any more is dropped.
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

/** Maximum number of characters of an address. */
const LONGEST = 2048;

/** Returns the address in `dcterms:provenance` as written, or null without an absolute http or https address. */
export function findRemoteManifest(texts: readonly MetadataText[]): string | null {
  for (const { where, text } of texts) {
    // Most packets lack it, and searching is cheaper than parsing.
    if (where !== 'xmp' || !text.includes('provenance')) continue;
    const found = readXmp(text).find((one) => one.where === 'xmp:dcterms:provenance')?.text ?? '';
    if (/^https?:\/\/[\x21-\x7e]+$/.test(found) && found.length <= LONGEST && URL.canParse(found))
      return found;
  }
  return null;
}
