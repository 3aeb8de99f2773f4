// Tests Telltale's own validation of certificate chains, from the signer to a trusted certificate.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { leadsToAnchor } from '../../../../src/library/check/credentials/signers.js';
import { openCertificateShop, type CertificateShop, type Identity } from '../../../support/certificates.js';

const DAY_MS = 86_400_000;
const now = new Date();
const inDays = (days: number): Date => new Date(now.getTime() + days * DAY_MS);

/** Returns the certificate with some bytes replaced and its signature unchanged. */
function altered({ raw }: X509Certificate, change: (der: Buffer) => void): X509Certificate {
  const der = Buffer.from(raw);
  change(der);
  return new X509Certificate(der);
}

describe('a certificate chain from a signer to a trusted certificate', () => {
  let shop: CertificateShop;
  let root: Identity;
  let authority: Identity;
  let signer: Identity;

  before(() => {
    shop = openCertificateShop();
    root = shop.makeRoot('Path Root');
    authority = shop.issue(root, { commonName: 'Path Authority', authority: true });
    signer = shop.issue(authority, { organization: 'Path Signer' });
  });
  after(() => shop.close());

  const leads = (chain: readonly X509Certificate[], anchor: Identity, at = now): boolean =>
    leadsToAnchor(chain, [anchor.certificate], at);

  it('is followed from issuer to issuer, whether or not the signature contains the trusted certificate', () => {
    assert.equal(leads(signer.chain, root), true);
    assert.equal(leads([...signer.chain, root.certificate], root), true);
    assert.equal(leads(signer.chain, authority), true);
    assert.equal(leads([signer.certificate], authority), true);
    const direct = shop.issue(root, { organization: 'Right Below' });
    assert.equal(leadsToAnchor(direct.chain, [authority.certificate, root.certificate], now), true);
  });

  it('is refused if the trusted certificate, the signer or a certificate in between is missing', () => {
    assert.equal(leadsToAnchor(signer.chain, [], now), false);
    assert.equal(leads([], root), false);
    assert.equal(leads([signer.certificate], root), false);
    assert.equal(leads(signer.chain, shop.makeRoot('Another Root')), false);
    const beside = shop.issue(root, { commonName: 'Beside', authority: true });
    assert.equal(leads([signer.certificate, beside.certificate], root), false);
  });

  it('may contain only certificates whose purposes allow signing claims', () => {
    const signs = (purpose: string | null): boolean => leads(shop.issue(root, { purpose }).chain, root);
    for (const purpose of ['emailProtection', '1.3.6.1.5.5.7.3.36', '1.3.6.1.4.1.311.76.59.1.9'])
      assert.equal(signs(purpose), true, purpose);
    assert.equal(signs('clientAuth,emailProtection'), true);
    for (const purpose of ['critical,timeStamping', 'OCSPSigning', 'serverAuth', 'codeSigning', null])
      assert.equal(signs(purpose), false, String(purpose));
  });

  it('must not have an authority as signer or a signer as authority', () => {
    assert.equal(leads(authority.chain, root), false);
    const below = shop.issue(signer, { organization: 'Below A Signer' });
    assert.equal(leads(below.chain, root), false);
  });

  it('must contain only certificates valid at the given second, except for the trusted certificate', () => {
    const brief = shop.issue(root, { organization: 'Brief', from: inDays(-2), until: inDays(-1) });
    const { validFrom, validTo } = brief.certificate;
    const shifted = (date: string, ms: number): Date => new Date(new Date(date).getTime() + ms);
    assert.equal(leads(brief.chain, root, shifted(validFrom, 0)), true);
    assert.equal(leads(brief.chain, root, shifted(validFrom, -1)), false);
    assert.equal(leads(brief.chain, root, shifted(validTo, 0)), true);
    assert.equal(leads(brief.chain, root, shifted(validTo, 1)), false);
    const lapsed = shop.issue(root, { authority: true, from: inDays(-2), until: inDays(-1) });
    const current = shop.issue(lapsed, { organization: 'Below A Lapsed Authority' });
    assert.equal(leads(current.chain, root), false);
    assert.equal(leads(current.chain, lapsed), true);
  });

  it('must match in both the issuer’s name and the signature', () => {
    const forged = altered(signer.certificate, (der) => (der[der.length - 1]! ^= 1));
    assert.equal(leads([forged], authority), false);
    assert.equal(leads([forged, authority.certificate], root), false);
    const renamed = altered(authority.certificate, (der) => {
      der.write('Path Impostor!', der.indexOf('Path Authority'));
    });
    assert.equal(leadsToAnchor([signer.certificate], [renamed], now), false);
    assert.equal(leads([signer.certificate, renamed], root), false);
  });
});
