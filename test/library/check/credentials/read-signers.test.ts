// Tests which signer, time and trust list each manifest gets, on manifests written here.
import assert from 'node:assert/strict';
import type { X509Certificate } from 'node:crypto';
import type {
  Ingredient,
  Manifest,
  ManifestStore,
} from '../../../../src/library/check/credentials/find-credentials.js';
import { canVouch, readSigners, type Signer } from '../../../../src/library/check/credentials/signers.js';
import type { TrustTier } from '../../../../src/library/check/types.js';
import { openCertificateShop, type CertificateShop, type Identity } from '../../../support/certificates.js';
import { storeOf } from '../../../support/jumbf.js';

const DAY_MS = 86_400_000;
const STAMPED = new Date(Date.now() - 1.5 * DAY_MS).toISOString();

const stamp = (label: string, code = 'timeStamp.trusted') => ({
  success: [{ code, url: `self#jumbf=/c2pa/${label}/c2pa.signature` }],
});

describe('the signers of a file’s manifests', () => {
  let shop: CertificateShop;
  let root: Identity;
  let signer: Identity;
  let lapsed: Identity;

  before(() => {
    shop = openCertificateShop();
    root = shop.makeRoot('Signers Root');
    signer = shop.issue(root, { organization: 'Signing House' });
    const [from, until] = [new Date(Date.now() - 2 * DAY_MS), new Date(Date.now() - DAY_MS)];
    lapsed = shop.issue(root, { organization: 'Lapsed House', from, until });
  });
  after(() => shop.close());

  /** Reads the signer of the manifest 'urn:a', with trusted certificates by kind of list. */
  function read(
    identity: Identity,
    anchors: Partial<Record<TrustTier, readonly X509Certificate[]>>,
    manifest: Manifest = {},
    more: Partial<ManifestStore> = {},
  ): Signer {
    const tiers = ['official', 'operator', 'interim'] as const;
    const lists = tiers.map((tier) => ({ tier, anchors: anchors[tier] ?? [] }));
    const store = { ...more, manifests: { ...more.manifests, 'urn:a': manifest } };
    return readSigners(store, storeOf({ 'urn:a': identity.chain }), lists)('urn:a');
  }

  it('have the tier of the first trust list to which their certificates lead', () => {
    const [own] = [root.certificate];
    assert.equal(read(signer, { official: [own], operator: [own] }).tier, 'official');
    assert.equal(read(signer, { operator: [own], interim: [own] }).tier, 'operator');
    assert.equal(read(signer, { interim: [own] }).tier, 'interim');
    assert.equal(read(signer, {}).tier, null);
    assert.equal(read(signer, { official: [shop.makeRoot('Elsewhere').certificate] }).tier, null);
  });

  it('may be listed themselves, without their authority, only on an interim trust list', () => {
    const { certificate } = signer;
    assert.equal(read(signer, { interim: [root.certificate, certificate] }).tier, 'interim');
    assert.equal(read(signer, { interim: [lapsed.certificate, certificate] }).tier, 'interim');
    assert.equal(read(signer, { interim: [lapsed.certificate] }).tier, null);
    assert.equal(read(signer, { official: [certificate], operator: [certificate] }).tier, null);
  });

  it('have the name in the certificate, otherwise the name that the C2PA library reports', () => {
    const info = { signature_info: { issuer: 'By The Library', time: STAMPED } };
    assert.equal(read(signer, {}, info).name, 'Signing House');
    const unread = (manifest: Manifest): Signer =>
      readSigners({ manifests: { 'urn:a': manifest } }, new Uint8Array(), [
        { tier: 'interim', anchors: [root.certificate] },
      ])('urn:a');
    assert.deepEqual(unread(info), { name: 'By The Library', signedAt: null, tier: null });
    assert.deepEqual(unread({}), { name: null, signedAt: null, tier: null });
    for (const store of [{}, { manifests: {} }])
      assert.equal(readSigners(store, new Uint8Array(), [])('urn:a').name, null);
  });

  it('have the signing time in a trusted time stamp, even one recorded when an ingredient was added', () => {
    const info = { signature_info: { time: STAMPED } };
    const anchors = { official: [root.certificate] };
    const judge = (more: Partial<ManifestStore>): readonly unknown[] => {
      const { signedAt, tier } = read(lapsed, anchors, info, more);
      return [signedAt, tier];
    };
    const delta = { ingredientAssertionURI: 'self#jumbf=/c2pa/outer', validationDeltas: stamp('urn:a') };
    const recorded = (ingredient: Ingredient): Partial<ManifestStore> => ({
      manifests: { outer: { ingredients: [{}, ingredient] } },
    });
    const trusted: Partial<ManifestStore>[] = [
      { validation_results: { activeManifest: stamp('urn:a') } },
      { validation_results: { ingredientDeltas: [delta] } },
      recorded({ active_manifest: 'urn:a', validation_results: { activeManifest: stamp('urn:a') } }),
    ];
    for (const more of trusted) assert.deepEqual(judge(more), [STAMPED, 'official'], JSON.stringify(more));
    const none = { ingredientAssertionURI: '', validationDeltas: {} };
    const untrusted: Partial<ManifestStore>[] = [
      {},
      { validation_results: { activeManifest: stamp('urn:b') } },
      { validation_results: { activeManifest: stamp('urn:a', 'timeStamp.validated') } },
      {
        validation_results: { activeManifest: { failure: stamp('urn:a').success }, ingredientDeltas: [none] },
      },
      { validation_results: { activeManifest: { success: [{ code: 'timeStamp.trusted' }] } } },
      recorded({ active_manifest: 'urn:b', validation_results: { activeManifest: stamp('urn:a') } }),
      recorded({ validation_results: { ingredientDeltas: [delta] } }),
    ];
    for (const more of untrusted) assert.deepEqual(judge(more), [null, null], JSON.stringify(more));
  });

  it('have no signing time that only an ingredient records for the image’s own manifest, because a signer can forge it', () => {
    const ingredient = { active_manifest: 'urn:a', validation_results: { activeManifest: stamp('urn:a') } };
    const manifest = { signature_info: { time: STAMPED }, ingredients: [ingredient] };
    const { signedAt, tier } = read(lapsed, { official: [root.certificate] }, manifest, {
      active_manifest: 'urn:a',
    });
    assert.deepEqual([signedAt, tier], [null, null]);
  });

  it('have no signing time if the C2PA library reports none', () => {
    const results = { validation_results: { activeManifest: stamp('urn:a') } };
    assert.equal(read(signer, {}, {}, results).signedAt, null);
  });

  it('need a certificate that was valid at the time of the time stamp', () => {
    const info = { signature_info: { time: STAMPED } };
    const results = { validation_results: { activeManifest: stamp('urn:a') } };
    const anchors = { official: [root.certificate] };
    assert.equal(read(signer, anchors, info, results).tier, null, 'it was not valid yet');
    assert.equal(read(signer, anchors, info).tier, 'official');
  });

  it('are each read only once', () => {
    const signerOf = readSigners({}, storeOf({ 'urn:a': signer.chain, 'urn:b': lapsed.chain }), []);
    assert.equal(signerOf('urn:a'), signerOf('urn:a'));
    assert.deepEqual([signerOf('urn:a').name, signerOf('urn:b').name], ['Signing House', 'Lapsed House']);
  });
});

describe('a trust list', () => {
  it('can verify Content Credentials if it is an official list or the operator’s own list, but not if it is interim', () => {
    const tiers = ['official', 'operator', 'interim', null] as const;
    assert.deepEqual(tiers.map(canVouch), [true, true, false, false]);
  });
});
