// Reading the manifest store of a file with the C2PA library, which only this file calls.
import { X509Certificate } from 'node:crypto';
import { createRequire } from 'node:module';
import { findNative } from '../../engine/native/binding.js';
import type { Credentials, CredentialState, TrustTier } from '../types.js';
import { quoteName } from '../verdict/quoted-name.js';
import { nameClaimGenerator, readAiRecord } from './ai-record.js';
import { readChain } from './chain.js';
import { collectCodes, GENERAL_ERROR, classifyStore, SIGNER_UNTRUSTED } from './classify.js';
import { assertionKind, type Manifest, type ManifestStore, describeUnread } from './find-credentials.js';
import { canVouch, readSigners, type Signer, type SignerAnchors, CLAIM_PURPOSES } from './signers.js';

type Reader = object;

/** An image in the form that the library takes; `buffer` is null for an output. */
interface Asset {
  readonly buffer: Buffer | null;
  readonly mimeType?: string;
}

/** The native part of c2pa-node, without its JavaScript, which needs packages that nothing else uses. */
interface Library {
  /** Null if the file has no manifest. */
  readonly readerFromAsset: (asset: Asset, settings: string) => Promise<Reader | null>;
  readonly readerFromManifestDataAndAsset: (
    manifest: Buffer,
    asset: Asset,
    settings: string,
  ) => Promise<Reader>;
  readonly readerJson: (this: Reader) => string;
  readonly readerResourceToAsset: (this: Reader, label: string, to: Asset) => Promise<{ buffer: Buffer }>;
}

const library = createRequire(import.meta.url)(findNative('c2pa.node')) as Library;

/** A file, and its manifest store if it came separately. */
interface SignedFile {
  readonly bytes: Buffer;
  readonly mimeType: string;
  readonly manifest: Buffer | null;
}

/** Trusted certificates for a reading process, in PEM, one certificate per text. */
export interface ReaderTrust {
  /** Certificates for signers of images, by trust list. */
  readonly signing: Readonly<Record<TrustTier, readonly string[]>>;
  /** Certificates for time-stamp authorities. */
  readonly timeStamp: readonly string[];
}

/** Trusted certificates in two forms: settings for the library, and parsed for the project's own check. */
export interface PreparedTrust {
  readonly settings: string;
  readonly signing: SignerAnchors;
}

/** Parses the trusted certificates once for all files. */
export function prepareTrust({ signing, timeStamp }: ReaderTrust): PreparedTrust {
  const tiers = ['official', 'operator', 'interim'] as const;
  return {
    settings: librarySettings([...signing.official, ...signing.operator], timeStamp),
    signing: tiers.map((tier) => ({ tier, anchors: signing[tier].map((pem) => new X509Certificate(pem)) })),
  };
}

/**
 * Reads the manifest store of a file, or returns null if the library finds none. Never rejects: a store that
 * can't be parsed is reported as `unreadable`. Limits the results for any manifest: texts to one line of 128
 * characters, lists to 16 entries. Never uses the network: remote manifests, revocation and identity look-ups
 * are disabled, and no host is allowed.
 */
export async function readManifest(
  { bytes, mimeType, manifest }: SignedFile,
  trust: PreparedTrust,
): Promise<Credentials | null> {
  try {
    const asset = { buffer: bytes, mimeType };
    const reader =
      manifest === null
        ? await library.readerFromAsset(asset, trust.settings)
        : await library.readerFromManifestDataAndAsset(manifest, asset, trust.settings);
    if (reader === null) return null;
    const store = JSON.parse(library.readerJson.call(reader)) as ManifestStore;
    const label = store.active_manifest;
    const active = label === undefined ? undefined : store.manifests?.[label];
    if (label === undefined || active === undefined) return describeUnread(GENERAL_ERROR);
    const { buffer } = await library.readerResourceToAsset.call(reader, label, { buffer: null });
    return describe(store, label, active, readSigners(store, buffer, trust.signing));
  } catch {
    // All errors get the same code, because the library distinguishes errors only by texts, which may change.
    return describeUnread(GENERAL_ERROR);
  }
}

function describe(
  store: ManifestStore,
  label: string,
  active: Manifest,
  signerOf: (label: string) => Signer,
): Credentials {
  const signer = signerOf(label);
  const state = classifyStore(store, canVouch(signer.tier));
  const verified = state === 'verified';
  const counting = verified ? readAiRecord(store, (inner) => canVouch(signerOf(inner).tier)) : null;
  const aiCounts = counting !== null && counting.claim !== null;
  const record = aiCounts ? counting : readAiRecord(store, null);
  return {
    found: true,
    state,
    signer: boundName(signer.name),
    verified,
    trustTier: signer.tier,
    signedAt: boundName(signer.signedAt),
    ai: record.claim !== null,
    aiClaim: record.claim,
    aiCounts,
    tool: boundName(record.tool),
    claimGenerator: boundName(nameClaimGenerator(active)),
    manifests: boundList([label, ...Object.keys(store.manifests ?? {})]),
    validationCodes: boundList(explainCodes(store, state)),
    digitalSourceTypes: boundList(record.digitalSourceTypes),
    softBindings: boundList(readSoftBindings(store)),
    chain: readChain(store, signerOf),
    generator: boundName(record.generator),
  };
}

/**
 * Maximum entries of a reported list. Files in public collections have at most eleven manifests, and fewer
 * entries in the other lists.
 */
const MAX_ENTRIES = 16;
/**
 * Maximum characters of a label, a status code or a vocabulary address. The longest one that C2PA or IPTC
 * defines has 96 characters.
 */
const MAX_ENTRY_CHARACTERS = 128;

/**
 * Maximum MB of an unpacked manifest. The largest manifest in the public sample files is smaller than 1 MB.
 */
const MAX_UNPACKED_MB = 4;

/** Shortens a name for storage and display. */
function boundName(name: string | null): string | null {
  return (name && quoteName(name)) || null;
}

/** Shortens a list and its texts for storage and display, and removes repetitions. */
function boundList(texts: readonly string[]): readonly string[] {
  const kept = new Set<string>();
  for (const text of texts) {
    if (kept.size === MAX_ENTRIES) break;
    const entry = quoteName(text, MAX_ENTRY_CHARACTERS);
    if (entry !== '') kept.add(entry);
  }
  return [...kept];
}

/** Label of watermarks and fingerprints that belong to a manifest. Source: C2PA 2.2, 'Soft binding'. */
const SOFT_BINDING = 'c2pa.soft-binding';

/** Returns the algorithms of all soft bindings that the manifests name, in order, as written. */
export function readSoftBindings(store: ManifestStore): readonly string[] {
  return Object.values(store.manifests ?? {})
    .flatMap(({ assertions = [] }) => assertions)
    .filter(({ label }) => assertionKind(label) === SOFT_BINDING)
    .map(({ data }) => (data as { readonly alg?: unknown } | null | undefined)?.alg)
    .filter((alg): alg is string => typeof alg === 'string');
}

/** Adds the code for an untrusted signer if only the library, not the project's own check, trusts it. */
function explainCodes(store: ManifestStore, state: CredentialState): readonly string[] {
  const codes = collectCodes(store);
  const unexplained = state === 'untrusted' && store.validation_state === 'Trusted';
  return unexplained ? [SIGNER_UNTRUSTED, ...codes] : codes;
}

/** Purpose in a time-stamp authority's certificate. Source: RFC 3161, section 2.3. */
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';

/** Returns the library's settings, in snake_case, because its Rust code silently ignores other names. */
function librarySettings(signing: readonly string[], timeStamp: readonly string[]): string {
  return JSON.stringify({
    trust: {
      // Empty lists are left out, because the library rejects an empty text.
      ...(signing.length > 0 && { user_anchors: signing.join('') }),
      ...(timeStamp.length > 0 && { trust_anchors: timeStamp.join('') }),
      trust_config: [...CLAIM_PURPOSES, TIME_STAMPING].join('\n'),
    },
    verify: {
      verify_after_reading: true,
      verify_trust: true,
      verify_timestamp_trust: true,
      remote_manifest_fetch: false,
      ocsp_fetch: false,
    },
    // Identity assertions are not decoded, because the library would fetch their did:web addresses even
    // though no host is allowed.
    core: {
      decode_identity_assertions: false,
      allowed_network_hosts: [],
      max_decompressed_manifest_size_in_mb: MAX_UNPACKED_MB,
    },
  });
}
