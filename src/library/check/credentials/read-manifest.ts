// Reading a manifest store from a file's bytes to findings. Only this file calls the C2PA library.
import { X509Certificate } from 'node:crypto';
import { createRequire } from 'node:module';
import { findNative } from '../../engine/native/binding.js';
import type { Credentials, CredentialState, TrustTier } from '../types.js';
import { quoteName } from '../verdict/quoted-name.js';
import { nameClaimGenerator, readAiRecord } from './ai-record.js';
import { collectCodes, GENERAL_ERROR, classifyStore, SIGNER_UNTRUSTED } from './classify.js';
import { assertionKind, type Manifest, type ManifestStore } from './manifest-store.js';
import { canVouch, readSigners, type Signer, type SignerAnchors } from './signers.js';
import { CLAIM_PURPOSES } from './trust-path.js';
import { describeUnread } from './unread.js';

type Reader = object;

/** An image for the library; `buffer` is null for an output. */
interface Asset {
  readonly buffer: Buffer | null;
  readonly mimeType?: string;
}

/** The native part of c2pa-node. Its JavaScript only passes calls on and needs packages that nothing else uses. */
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

/** A file, and its manifest store if that is separate. */
interface SignedFile {
  readonly bytes: Buffer;
  readonly mimeType: string;
  readonly manifest: Buffer | null;
}

/** Anchors in PEM, one certificate per text, for the reading process. */
export interface ReaderTrust {
  /** Anchors of signers by tier. */
  readonly signing: Readonly<Record<TrustTier, readonly string[]>>;
  /** Anchors of time-stamp authorities. */
  readonly timeStamp: readonly string[];
}

/** Parsed anchors: settings for the library, and anchors for this project's own reading of the chain. */
export interface PreparedTrust {
  readonly settings: string;
  readonly signing: SignerAnchors;
}

/** Parses the anchors once for all reads. */
export function prepareTrust({ signing, timeStamp }: ReaderTrust): PreparedTrust {
  const tiers = ['official', 'operator', 'interim'] as const;
  return {
    settings: librarySettings([...signing.official, ...signing.operator], timeStamp),
    signing: tiers.map((tier) => ({ tier, anchors: signing[tier].map((pem) => new X509Certificate(pem)) })),
  };
}

/**
 * Reads the manifest store of a file, or returns null if the library finds none. Never rejects: an unparsable store is
 * an `unreadable` finding. Texts have one line and at most 128 characters, lists at most 16 entries, whatever the
 * manifest contains. Never uses the network: remote manifests, OCSP and identity look-ups are disabled, and no host is
 * allowed.
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
    // The library distinguishes malformed stores only by error texts, which must not decide anything.
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
    generator: boundName(record.generator),
  };
}

/**
 * Maximum entries kept per list. Chosen: files of the public collections have at most eleven manifests and fewer other
 * entries.
 */
const MAX_ENTRIES = 16;
/**
 * Maximum characters kept of a label, a status code or a vocabulary address. Chosen: the longest one of C2PA and IPTC
 * has 96.
 */
const MAX_ENTRY_CHARACTERS = 128;

/** Maximum MB of an unpacked manifest. Chosen: the largest one of the public sample files has under 1 MB. */
const MAX_UNPACKED_MB = 4;

/** Cuts a name to a length that can be kept and shown. */
function boundName(name: string | null): string | null {
  return (name && quoteName(name)) || null;
}

/** Cuts a list to unique texts that can be kept and shown. */
function boundList(texts: readonly string[]): readonly string[] {
  const kept = new Set<string>();
  for (const text of texts) {
    if (kept.size === MAX_ENTRIES) break;
    const entry = quoteName(text, MAX_ENTRY_CHARACTERS);
    if (entry !== '') kept.add(entry);
  }
  return [...kept];
}

/** Label of soft bindings. Source: C2PA specification 2.2, section 'Soft binding'. */
const SOFT_BINDING = 'c2pa.soft-binding';

/**
 * Returns the algorithms of soft bindings (watermarks or fingerprints in the pixels) that the store's manifests name,
 * in order, as written.
 */
export function readSoftBindings(store: ManifestStore): readonly string[] {
  return Object.values(store.manifests ?? {})
    .flatMap(({ assertions = [] }) => assertions)
    .filter(({ label }) => assertionKind(label) === SOFT_BINDING)
    .map(({ data }) => (data as { readonly alg?: unknown } | null | undefined)?.alg)
    .filter((alg): alg is string => typeof alg === 'string');
}

/** Adds the code of an untrusted signer if the library trusts it but its chain can't be followed here. */
function explainCodes(store: ManifestStore, state: CredentialState): readonly string[] {
  const codes = collectCodes(store);
  const unexplained = state === 'untrusted' && store.validation_state === 'Trusted';
  return unexplained ? [SIGNER_UNTRUSTED, ...codes] : codes;
}

/** Purpose of a time-stamp authority's certificate. Source: RFC 3161, section 2.3. */
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';

/** Returns the settings in the Rust side's snake_case; it silently ignores others. */
function librarySettings(signing: readonly string[], timeStamp: readonly string[]): string {
  return JSON.stringify({
    trust: {
      // The library treats an empty text as a malformed list.
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
    // Disabled, because identity assertions may name did:web addresses, which the library looks up despite the host
    // list.
    core: {
      decode_identity_assertions: false,
      allowed_network_hosts: [],
      max_decompressed_manifest_size_in_mb: MAX_UNPACKED_MB,
    },
  });
}
