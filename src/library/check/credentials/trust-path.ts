// Validating the certificate chain of a signer strictly, in addition to the C2PA library.
import type { X509Certificate } from 'node:crypto';

/**
 * Allowed purposes of certificates that sign claims: C2PA's own, Microsoft's, and e-mail protection and document
 * signing, which C2PA 1.x allowed. Source: C2PA specification 2.2, section 'Certificate Profile'.
 */
export const CLAIM_PURPOSES = new Set([
  '1.3.6.1.4.1.62558.2.1',
  '1.3.6.1.4.1.311.76.59.1.9',
  '1.3.6.1.5.5.7.3.4',
  '1.3.6.1.5.5.7.3.36',
]);

/**
 * Returns whether `chain` (the signer first, each followed by its issuer) leads to one of `anchors` at the time `at`.
 * The signer must not be an authority and may sign claims; every issuer must be an authority; every signature and
 * validity period is verified. The C2PA library alone is not enough: it keeps anchors of signers and of time stamps in
 * one pool, accepts a time stamp's certificate as a signer's, and lets a certificate that is not an authority issue
 * another. An anchor's own expiry is ignored. Source: RFC 5280, section 6.1.
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

/** Returns whether the extended key usage, which Node calls `keyUsage`, allows signing claims. */
function maySignClaims(certificate: X509Certificate): boolean {
  const purposes = certificate.keyUsage as readonly string[] | undefined;
  return purposes?.some((purpose) => CLAIM_PURPOSES.has(purpose)) ?? false;
}

/** Returns whether names, key identifiers and key usage fit and the signature verifies. */
function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function isValidAt(certificate: X509Certificate, at: Date): boolean {
  return new Date(certificate.validFrom) <= at && at <= new Date(certificate.validTo);
}
