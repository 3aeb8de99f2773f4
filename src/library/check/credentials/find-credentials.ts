// Finding an image's Content Credentials: in the file or, if allowed, at the address that the file names.
import type { MetadataText, SniffedImage } from '../../engine/types.js';
import type { Deadline } from '../deadline.js';
import { readXmp } from '../marks/xmp.js';
import type { CredentialReader, Credentials, ReadOptions } from '../types.js';

/**
 * Fetches a manifest from the address that a file names. If it rejects, the check continues without the
 * manifest.
 */
export type FetchManifest = (
  address: string,
  signal: AbortSignal,
  accountId: string | undefined,
) => Promise<Uint8Array>;

/** Where to read credentials from. */
export interface CredentialSources {
  readonly credentials: CredentialReader;
  /** Function that fetches manifests. Default: none are fetched, and only the address is reported. */
  readonly fetchManifest?: FetchManifest | undefined;
}

/** An image with its header and metadata. */
interface DescribedFile {
  readonly bytes: Uint8Array;
  readonly image: SniffedImage;
  readonly declared: readonly MetadataText[];
  readonly accountId: string | undefined;
}

/** Result of the search for credentials. */
export interface FoundCredentials {
  /** Null if the file has no credentials, or only an address that may not be fetched. */
  readonly credentials: Credentials | null;
  /** Address of the manifest, if the file contains an address instead of a manifest, or null. */
  readonly remoteManifest: string | null;
}

/** Share of a check's time for reading credentials; the detectors need the rest. */
const WAITING_SHARE = 0.5;

/**
 * Finds the credentials within half of the check's time. Credentials that take longer count as unreadable,
 * because busy readers or a slow host must not prevent a verdict. A read that was given up is aborted.
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

/** Maximum characters of a manifest's address. */
const LONGEST = 2048;

/** Returns the http or https address in the XMP field `dcterms:provenance` as written, or null. */
export function findRemoteManifest(texts: readonly MetadataText[]): string | null {
  for (const { where, text } of texts) {
    // Searches the text first, because most XMP packets lack the field and parsing takes much longer.
    if (where !== 'xmp' || !text.includes('provenance')) continue;
    const provenance = readXmp(text).find((one) => one.where === 'xmp:dcterms:provenance')?.text ?? '';
    if (
      /^https?:\/\/[\x21-\x7e]+$/.test(provenance) &&
      provenance.length <= LONGEST &&
      URL.canParse(provenance)
    )
      return provenance;
  }
  return null;
}
