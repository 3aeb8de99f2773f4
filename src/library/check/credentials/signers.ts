// Finding out who signed a manifest, when, and on which trust list the signer is.
import type { X509Certificate } from 'node:crypto';
import { nameSubject } from './trust.js';
import type { TrustTier } from '../types.js';
import type { ManifestStore, ValidationResults } from './manifest-store.js';
import { readSigningChain } from './signature-box.js';
import { leadsToAnchor } from './trust-path.js';

/** Trusted certificates by trust list, in the order in which the lists are searched. */
export type SignerAnchors = readonly {
  readonly tier: TrustTier;
  readonly anchors: readonly X509Certificate[];
}[];

export interface Signer {
  /** Organisation or else common name in the certificate; null if it is unreadable. */
  readonly name: string | null;
  /** Time of signing by a trusted time stamp, in RFC 3339, or null. */
  readonly signedAt: string | null;
  /** Trust list to which the certificates lead, or null. */
  readonly tier: TrustTier | null;
}

/**
 * Returns a function that returns the signer of a manifest by its label. `jumbf` holds the bytes of the
 * store, which are read when first needed.
 */
export function readSigners(
  store: ManifestStore,
  jumbf: Uint8Array,
  anchors: SignerAnchors,
): (label: string) => Signer {
  const known = new Map<string, Signer>();
  return (label) => {
    const signer = known.get(label) ?? readSigner(store, label, readSigningChain(jumbf, label), anchors);
    known.set(label, signer);
    return signer;
  };
}

/** Returns whether signers on this trust list count as verified. */
export function canVouch(tier: TrustTier | null): boolean {
  return tier === 'official' || tier === 'operator';
}

function readSigner(
  store: ManifestStore,
  label: string,
  chain: readonly X509Certificate[],
  anchors: SignerAnchors,
): Signer {
  const info = store.manifests?.[label]?.signature_info;
  const signedAt = hasTrustedTime(store, label) ? (info?.time ?? null) : null;
  return {
    name: chain[0] === undefined ? (info?.issuer ?? null) : nameSubject(chain[0]),
    signedAt,
    tier: findTier(chain, anchors, signedAt === null ? new Date() : new Date(signedAt)),
  };
}

/** Compares the signer, too, because the interim list names signers in addition to authorities. */
function findTier(chain: readonly X509Certificate[], anchors: SignerAnchors, at: Date): TrustTier | null {
  const signer = chain[0]?.fingerprint256;
  const match = anchors.find(
    (list) =>
      leadsToAnchor(chain, list.anchors, at) ||
      (list.tier === 'interim' && list.anchors.some(({ fingerprint256 }) => fingerprint256 === signer)),
  );
  return match?.tier ?? null;
}

/**
 * Returns whether a manifest has a trusted time stamp. The library reports time stamps of unknown
 * authorities, too.
 */
function hasTrustedTime(store: ManifestStore, label: string): boolean {
  const results = [store.validation_results, ...recordedResults(store)];
  const successes = results.flatMap((found) => [
    ...(found?.activeManifest?.success ?? []),
    ...(found?.ingredientDeltas ?? []).flatMap(({ validationDeltas }) => validationDeltas.success ?? []),
  ]);
  return successes.some(({ code, url }) => code === 'timeStamp.trusted' && url?.includes(`/c2pa/${label}/`));
}

/** Returns the findings that signers recorded for ingredients, which validation does not repeat now. */
function recordedResults(store: ManifestStore): readonly (ValidationResults | undefined)[] {
  return Object.values(store.manifests ?? {}).flatMap(({ ingredients = [] }) =>
    ingredients.map(({ validation_results }) => validation_results),
  );
}
