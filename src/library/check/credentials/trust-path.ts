// Whether a signer's certificates lead to an anchor: our own, strict reading of the chain beside the C2PA library's.
import type { X509Certificate } from 'node:crypto';

/**
 * What a certificate may be for that signs claims: C2PA's own purpose, Microsoft's, and e-mail protection and document
 * signing, which C2PA 1.x took. Source: C2PA specification 2.2, section 'Certificate Profile'.
 */
export const CLAIM_PURPOSES = new Set([
  '1.3.6.1.4.1.62558.2.1',
  '1.3.6.1.4.1.311.76.59.1.9',
  '1.3.6.1.5.5.7.3.4',
  '1.3.6.1.5.5.7.3.36',
]);

/**
 * True if `chain` (the signer first, each next one its issuer) leads to one of `anchors` at the time `at`. The signer
 * is no authority and may sign claims; every issuer on the way is an authority. Every signature verifies and every
 * certificate is within its validity. The C2PA library keeps anchors of signers and of time stamps in one pool. It
 * takes the certificate of a time stamp for a signer's and lets one that is no authority issue another. So its word
 * alone does not make a signer verified: below many an anchor there are units that stamp times. An anchor's own expiry
 * is not looked at. Source: RFC 5280, section 6.1.
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

/** Node calls the extended key usage `keyUsage`; a certificate without one has none. */
function maySignClaims(certificate: X509Certificate): boolean {
  const purposes = certificate.keyUsage as readonly string[] | undefined;
  return purposes?.some((purpose) => CLAIM_PURPOSES.has(purpose)) ?? false;
}

/** Names, key identifiers and key usage fit, and the signature verifies. */
function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function isValidAt(certificate: X509Certificate, at: Date): boolean {
  return new Date(certificate.validFrom) <= at && at <= new Date(certificate.validTo);
}
