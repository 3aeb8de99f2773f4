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

/** Code for a file that took or waited too long. It is not a C2PA code. */
export const READ_TIMED_OUT = 'telltale.readTimedOut';
/** Code for a file above the reader's size limit. It is not a C2PA code. */
export const FILE_TOO_LARGE = 'telltale.fileTooLarge';
/** Code for a reading process that ended before it responded. It is not a C2PA code. */
export const READER_FAILED = 'telltale.readerFailed';

/** Returns the finding `unreadable` with codes for the reason. */
export function describeUnread(...validationCodes: readonly string[]): Credentials {
  return {
    found: true,
    state: 'unreadable',
    signer: null,
    verified: false,
    trustTier: null,
    signedAt: null,
    ai: false,
    aiClaim: null,
    aiCounts: false,
    tool: null,
    claimGenerator: null,
    manifests: [],
    validationCodes,
    digitalSourceTypes: [],
    softBindings: [],
    chain: [],
    generator: null,
  };
}

/** One result of validation. Source: C2PA specification, section 'Validation', status codes. */
export interface ValidationStatus {
  readonly code: string;
  /** JUMBF address of the part that was validated. */
  readonly url?: string;
}

/** Results of validation by outcome. */
export interface StatusCodes {
  readonly success?: readonly ValidationStatus[];
  readonly informational?: readonly ValidationStatus[];
  readonly failure?: readonly ValidationStatus[];
}

/** Results about an ingredient that differ from the ones that its signer recorded. */
interface IngredientDelta {
  readonly ingredientAssertionURI: string;
  readonly validationDeltas: StatusCodes;
}

/** Results about the active manifest, and about its ingredients. */
export interface ValidationResults {
  readonly activeManifest?: StatusCodes;
  readonly ingredientDeltas?: readonly IngredientDelta[];
}

/** Relation of an ingredient to the image that was made from it, in C2PA's words. */
type IngredientRelationship = 'parentOf' | 'componentOf' | 'inputTo';

/** An image that another image was made from. */
export interface Ingredient {
  /** Label of the assertion that describes the ingredient, such as `c2pa.ingredient__2`. */
  readonly label?: string;
  readonly relationship?: IngredientRelationship;
  /** Kind of the ingredient's origin, as stated by the signer (C2PA 2.4). */
  readonly digital_source_type?: string;
  /** File name or title. */
  readonly title?: string;
  /** Label of the ingredient's own manifest in the same store, if it has one. */
  readonly active_manifest?: string;
  /** Validation results that the signer recorded when adding the ingredient (C2PA 2.x). */
  readonly validation_results?: ValidationResults;
  /** Validation results that the signer recorded, as a flat list (C2PA 1.x). */
  readonly validation_status?: readonly ValidationStatus[];
}

/** A statement in a manifest. Its label says what `data` contains. */
export interface Assertion {
  readonly label: string;
  readonly data?: unknown;
  /** True if the signer vouches for the assertion instead of only gathering it (claims of version 2). */
  readonly created?: boolean;
}

/** A program that made or changed an image. */
interface GeneratorInfo {
  readonly name?: string;
}

export interface Manifest {
  /** Version of the claim (the signed part of a manifest); absent in version 1. */
  readonly claim_version?: number;
  /** Programs that made the claim, in C2PA 1.x as one text: `Name/1.0 library/2.0`. */
  readonly claim_generator?: string;
  readonly claim_generator_info?: readonly GeneratorInfo[];
  readonly assertions?: readonly Assertion[];
  readonly ingredients?: readonly Ingredient[];
  readonly signature_info?: {
    readonly issuer?: string;
    readonly common_name?: string;
    readonly time?: string;
  };
}

/** All manifests in a file: the image's own (the active one) and its ingredients'. */
export interface ManifestStore {
  readonly active_manifest?: string;
  readonly manifests?: Readonly<Record<string, Manifest>>;
  readonly validation_results?: ValidationResults;
  readonly validation_state?: 'Invalid' | 'Valid' | 'Trusted';
}

/** Returns the JUMBF address of an ingredient's assertion, which validation results use as its name. */
export function ingredientAddress(manifestLabel: string, ingredient: Ingredient): string {
  return `self#jumbf=/c2pa/${manifestLabel}/c2pa.assertions/${ingredient.label ?? ''}`;
}

/** Returns an assertion's label without the suffix `__n`, which numbers assertions of the same kind. */
export function assertionKind(label: string): string {
  return label.replace(/__\d+$/, '');
}
