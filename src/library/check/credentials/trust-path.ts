// Checking a signer's certificate chain more strictly than the C2PA library does.
import type { X509Certificate } from 'node:crypto';

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
