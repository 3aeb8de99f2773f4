// Finding out who signed a manifest, when, and on which trust list the signer is.
import { X509Certificate } from 'node:crypto';
import { decode } from 'cborg';
import { nameSubject } from './trust.js';
import type { TrustTier } from '../types.js';
import type { ManifestStore, ValidationResults } from './find-credentials.js';

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
  const results = [store.validation_results, ...recordedResults(store, label)];
  const successes = results.flatMap((found) => [
    ...(found?.activeManifest?.success ?? []),
    ...(found?.ingredientDeltas ?? []).flatMap(({ validationDeltas }) => validationDeltas.success ?? []),
  ]);
  return successes.some(({ code, url }) => code === 'timeStamp.trusted' && url?.includes(`/c2pa/${label}/`));
}

/**
 * Returns the findings that signers recorded when they added the manifest `label` as an ingredient, which
 * validation does not repeat now. Returns none for the active manifest, because its own signer could write
 * them.
 */
function recordedResults(store: ManifestStore, label: string): readonly (ValidationResults | undefined)[] {
  if (label === store.active_manifest) return [];
  return Object.values(store.manifests ?? {}).flatMap(({ ingredients = [] }) =>
    ingredients
      .filter(({ active_manifest: inner }) => inner === label)
      .map(({ validation_results }) => validation_results),
  );
}

/** Labels of the certificate chain in a COSE header. Source: RFC 9360, section 2; C2PA 1.x uses the text. */
const CHAIN_LABELS = [33, 'x5chain'] as const;

/** CBOR tag of COSE_Sign1. Source: RFC 9052, section 4.2. */
const COSE_SIGN1_TAG = 18;

/**
 * Position of the label in a JUMBF description box: after header (8 bytes), type (16) and flags (1). Source:
 * ISO 19566-5, section A.3.
 */
const LABEL_OFFSET = 25;

interface Box {
  readonly type: string;
  readonly content: Uint8Array;
}

/**
 * Returns the certificates with which the manifest `manifestLabel` in a JUMBF store was signed, starting with
 * the signer's own. Returns an empty list if they are missing or unreadable. Never throws.
 */
export function readSigningChain(store: Uint8Array, manifestLabel: string): readonly X509Certificate[] {
  try {
    const manifest = find(childrenOf(readBoxes(store)[0]), manifestLabel);
    const signature = find(childrenOf(manifest), 'c2pa.signature');
    const cose = childrenOf(signature).find(({ type }) => type === 'cbor');
    return cose === undefined ? [] : readChain(cose.content);
  } catch {
    // Not an error, because the library itself reports malformed boxes. Without certificates, no signer is
    // trusted.
    return [];
  }
}

function readBoxes(bytes: Uint8Array): readonly Box[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const boxes: Box[] = [];
  for (let at = 0; at + 8 <= bytes.byteLength;) {
    const size32 = view.getUint32(at);
    const header = size32 === 1 ? 16 : 8;
    // Size 1 announces a 64-bit size, 0 means the rest of the file. Source: ISO 19566-5, section A.2.
    const size =
      size32 === 1 ? Number(view.getBigUint64(at + 8)) : size32 === 0 ? bytes.byteLength - at : size32;
    if (size < header || at + size > bytes.byteLength) throw new RangeError('a box ends beyond its parent');
    const type = Buffer.from(bytes.subarray(at + 4, at + 8)).toString('latin1');
    boxes.push({ type, content: bytes.subarray(at + header, at + size) });
    at += size;
  }
  return boxes;
}

function childrenOf(superbox: Box | undefined): readonly Box[] {
  return superbox?.type === 'jumb' ? readBoxes(superbox.content) : [];
}

function find(boxes: readonly Box[], label: string): Box | undefined {
  return boxes.find((box) => box.type === 'jumb' && labelOf(box) === label);
}

/** Returns the label of a box: the text up to a zero byte in the description box at its beginning. */
function labelOf({ content }: Box): string {
  const end = content.indexOf(0, LABEL_OFFSET);
  return Buffer.from(content.subarray(LABEL_OFFSET, end)).toString('utf8');
}

/** Accepts only one certificate chain. With two, the library and this code could check different signers. */
function readChain(cose: Uint8Array): readonly X509Certificate[] {
  const [signedBytes, unsigned] = decodeCbor(cose) as [Uint8Array, Map<unknown, unknown>];
  const signed = (signedBytes.length === 0 ? new Map() : decodeCbor(signedBytes)) as Map<unknown, unknown>;
  const chains = [signed, unsigned].flatMap((header) => CHAIN_LABELS.map((label) => header.get(label)));
  const [chain, another] = chains.filter((candidate) => candidate !== undefined);
  if (chain === undefined || another !== undefined) return [];
  return [chain].flat().map((der) => new X509Certificate(der as Uint8Array));
}

function decodeCbor(bytes: Uint8Array): unknown {
  const tags = { [COSE_SIGN1_TAG]: (value: () => unknown) => value() };
  return decode(bytes, { useMaps: true, rejectDuplicateMapKeys: true, tags });
}

/**
 * Purposes of a certificate that allow signing claims: C2PA's own, Microsoft's, and e-mail protection and
 * document signing, which C2PA 1.x allowed. Source: C2PA specification 2.2, section 'Certificate Profile'.
 */
export const CLAIM_PURPOSES = new Set([
  '1.3.6.1.4.1.62558.2.1',
  '1.3.6.1.4.1.311.76.59.1.9',
  '1.3.6.1.5.5.7.3.4',
  '1.3.6.1.5.5.7.3.36',
]);

/**
 * Returns whether `chain` leads to one of the trusted certificates `anchors` at the time `at`. The chain
 * begins with the signer; each certificate is followed by its issuer's. The signer must be allowed to sign
 * claims and not be an authority. Every issuer must be an authority. Every signature and validity period is
 * verified, except an anchor's own expiry.
 * The C2PA library's check is not enough. It does not separate anchors of signers from anchors of time
 * stamps, accepts a time stamp's certificate for a signer, and accepts issuers that are no authority. Source:
 * RFC 5280, section 6.1.
 */
export function leadsToAnchor(
  chain: readonly X509Certificate[],
  anchors: readonly X509Certificate[],
  at: Date,
): boolean {
  const [signer] = chain;
  if (signer === undefined || signer.ca || !maySignClaims(signer)) return false;
  for (const [depth, certificate] of chain.entries()) {
    if (!isValidAt(certificate, at)) return false;
    if (anchors.some((anchor) => isIssuedBy(certificate, anchor))) return true;
    const issuer = chain[depth + 1];
    if (issuer === undefined || !issuer.ca || !isIssuedBy(certificate, issuer)) return false;
  }
  return false;
}

/** Returns whether the purposes (extended key usage, Node's `keyUsage`) allow signing claims. */
function maySignClaims(certificate: X509Certificate): boolean {
  const purposes = certificate.keyUsage as readonly string[] | undefined;
  return purposes?.some((purpose) => CLAIM_PURPOSES.has(purpose)) ?? false;
}

/** Returns whether `issuer` issued the certificate: names, key identifiers, key usage and signature fit. */
function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function isValidAt(certificate: X509Certificate, at: Date): boolean {
  return new Date(certificate.validFrom) <= at && at <= new Date(certificate.validTo);
}
