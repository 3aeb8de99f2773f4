// One manifest store, from the file's bytes to findings: the only file that calls c2pa-node.
import { X509Certificate } from 'node:crypto';
import { Reader } from '@contentauth/c2pa-node';
import { nameSubject } from '../trust.js';
import type { Credentials, CredentialState, TrustTier } from '../types.js';
import { nameClaimGenerator, readAiRecord } from './ai-record.js';
import { collectCodes, GENERAL_ERROR, judgeStore, SIGNER_UNTRUSTED } from './judge.js';
import type { Manifest, ManifestStore } from './manifest-store.js';
import { readSigningChain } from './signature-box.js';
import { leadsToAnchor } from './trust-path.js';
import { describeUnread } from './unread.js';

/** Anchors in PEM, one certificate a text, as the reading process gets them. */
export interface ReaderTrust {
  /** Anchors of signers, by tier. */
  readonly signing: Readonly<Record<TrustTier, readonly string[]>>;
  /** Anchors of time-stamp authorities. */
  readonly timeStamp: readonly string[];
}

/** The same, parsed: settings for the library, and anchors for our own reading of the chain. */
export interface PreparedTrust {
  readonly settings: string;
  readonly signing: readonly { readonly tier: TrustTier; readonly anchors: readonly X509Certificate[] }[];
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
 * Reads the manifest store of a file; null where the library finds none. Never rejects: what can't be parsed is an
 * `unreadable` finding. Touches no network: remote manifests, OCSP and identity look-ups are off, and no host is allowed.
 */
export async function readManifest(
  bytes: Buffer,
  mimeType: string,
  trust: PreparedTrust,
): Promise<Credentials | null> {
  try {
    const reader = await Reader.fromAsset({ buffer: bytes, mimeType }, trust.settings);
    if (reader === null) return null;
    const store = reader.json() as unknown as ManifestStore;
    const label = store.active_manifest;
    const active = label === undefined ? undefined : store.manifests?.[label];
    if (label === undefined || active === undefined) return describeUnread(GENERAL_ERROR);
    const { buffer } = await reader.resourceToAsset(label, { buffer: null });
    return describe(store, label, active, buffer === null ? [] : readSigningChain(buffer, label), trust);
  } catch {
    // The library tells malformed stores apart by text alone, which must not decide anything.
    return describeUnread(GENERAL_ERROR);
  }
}

function describe(
  store: ManifestStore,
  label: string,
  active: Manifest,
  chain: readonly X509Certificate[],
  trust: PreparedTrust,
): Credentials {
  const signedAt = trustedTime(store, active);
  const trustTier = findTier(chain, trust, signedAt === null ? new Date() : new Date(signedAt));
  const state = judgeStore(store, trustTier === 'official' || trustTier === 'operator');
  const verified = state === 'verified';
  const record = readAiRecord(store, { tolerateUntrusted: !verified });
  return {
    found: true,
    state,
    signer: chain[0] === undefined ? (active.signature_info?.issuer ?? null) : nameSubject(chain[0]),
    verified,
    trustTier,
    signedAt,
    ai: record.claim !== null,
    aiClaim: record.claim,
    tool: record.tool,
    claimGenerator: nameClaimGenerator(active),
    manifests: [label, ...Object.keys(store.manifests ?? {}).filter((other) => other !== label)],
    validationCodes: explainCodes(store, state),
    digitalSourceTypes: record.digitalSourceTypes,
  };
}

/** A signer that the library trusts and whose chain we can't follow gets the code that says so. */
function explainCodes(store: ManifestStore, state: CredentialState): readonly string[] {
  const codes = collectCodes(store);
  const unexplained = state === 'untrusted' && store.validation_state === 'Trusted';
  return unexplained ? [SIGNER_UNTRUSTED, ...codes] : codes;
}

/** The time of a time stamp whose authority is on the list: the library reports others too, and they prove nothing. */
function trustedTime(store: ManifestStore, active: Manifest): string | null {
  const successes = store.validation_results?.activeManifest?.success ?? [];
  const isTrusted = successes.some(({ code }) => code === 'timeStamp.trusted');
  return isTrusted ? (active.signature_info?.time ?? null) : null;
}

/** The interim list names signers themselves too, not only authorities. */
function findTier(chain: readonly X509Certificate[], { signing }: PreparedTrust, at: Date): TrustTier | null {
  const signer = chain[0]?.fingerprint256;
  const match = signing.find(
    ({ tier, anchors }) =>
      leadsToAnchor(chain, anchors, at) ||
      (tier === 'interim' && anchors.some(({ fingerprint256 }) => fingerprint256 === signer)),
  );
  return match?.tier ?? null;
}

/**
 * Written in the Rust side's snake_case: c2pa-node passes an object on as it is, and its `settingsToJson` neither knows
 * `core` nor keeps arrays.
 */
function librarySettings(signing: readonly string[], timeStamp: readonly string[]): string {
  return JSON.stringify({
    trust: {
      // The library takes an empty text for a malformed list.
      ...(signing.length > 0 && { user_anchors: signing.join('') }),
      ...(timeStamp.length > 0 && { trust_anchors: timeStamp.join('') }),
    },
    verify: {
      verify_after_reading: true,
      verify_trust: true,
      verify_timestamp_trust: true,
      remote_manifest_fetch: false,
      ocsp_fetch: false,
    },
    // Identity assertions may name did:web addresses, which the library looks up whatever the host list says.
    core: { decode_identity_assertions: false, allowed_network_hosts: [] },
  });
}
