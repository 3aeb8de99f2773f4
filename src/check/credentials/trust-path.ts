// Whether a signer's certificates lead to an anchor: our own, strict reading of the chain beside the C2PA library's.
import type { X509Certificate } from 'node:crypto';

/**
 * True where `chain` (the signer first, each next one its issuer) leads to one of `anchors` at the time `at`: the signer
 * is no authority, every issuer on the way is one, every signature verifies and every certificate is within its
 * validity. The C2PA library keeps anchors of signers and of time stamps in one pool and lets a certificate that is no
 * authority issue another, so its word alone does not make a signer verified. An anchor's own expiry is not looked at.
 * Source: RFC 5280, section 6.1.
 */
export function leadsToAnchor(
  chain: readonly X509Certificate[],
  anchors: readonly X509Certificate[],
  at: Date,
): boolean {
  if (chain.length === 0 || chain[0]?.ca) return false;
  for (const [depth, certificate] of chain.entries()) {
    if (!isValidAt(certificate, at)) return false;
    if (anchors.some((anchor) => isIssuedBy(certificate, anchor))) return true;
    const issuer = chain[depth + 1];
    if (issuer === undefined || !issuer.ca || !isIssuedBy(certificate, issuer)) return false;
    if (anchors.some((anchor) => anchor.fingerprint256 === issuer.fingerprint256)) return true;
  }
  return false;
}

/** Names, key identifiers and key usage fit, and the signature verifies. */
function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function isValidAt(certificate: X509Certificate, at: Date): boolean {
  return new Date(certificate.validFrom) <= at && at <= new Date(certificate.validTo);
}
