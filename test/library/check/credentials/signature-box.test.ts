// Tests reading the certificates of a claim signature in stores written box by box: every valid layout, and
// invalid ones.
import assert from 'node:assert/strict';
import { readSigningChain } from '../../../../src/library/check/credentials/signers.js';
import { openCertificateShop, type CertificateShop, type Identity } from '../../../support/certificates.js';
import { box, chainOf, coseOf, manifestOf, storeOf, superbox } from '../../../support/jumbf.js';

describe('the reader of a manifest’s certificate chain', () => {
  let shop: CertificateShop;
  let signer: Identity;
  let other: Identity;

  before(() => {
    shop = openCertificateShop();
    const root = shop.makeRoot('Box Root');
    const authority = shop.issue(root, { commonName: 'Box Authority', authority: true });
    signer = shop.issue(authority, { organization: 'Box Signer' });
    other = shop.issue(root, { organization: 'Another Signer' });
  });
  after(() => shop.close());

  const namesOf = (store: Uint8Array, label = 'urn:a'): string[] =>
    readSigningChain(store, label).map(({ subject }) => subject.replaceAll('\n', ' '));
  const withCose = (cose: Buffer): Buffer => superbox('c2pa', manifestOf('urn:a', cose));
  const BOTH = ['O=Box Signer CN=Test', 'O=Telltale Tests CN=Box Authority'];

  it('returns the certificates of the manifest with the given label, the signer’s certificate first', () => {
    const store = storeOf({ 'urn:b': other.chain, 'urn:a': signer.chain });
    assert.deepEqual(namesOf(store), BOTH);
    assert.deepEqual(namesOf(store, 'urn:b'), ['O=Another Signer CN=Test']);
    assert.deepEqual(namesOf(store, 'urn:'), []);
    assert.deepEqual(namesOf(store, 'c2pa'), []);
  });

  it('accepts the chain in either COSE header, by number or name, and a single certificate outside a list', () => {
    const chain = chainOf(...signer.chain);
    for (const label of [33, 'x5chain']) {
      assert.deepEqual(namesOf(withCose(coseOf(new Map([[label, chain]])))), BOTH);
      assert.deepEqual(namesOf(withCose(coseOf(new Map(), new Map([[label, chain]])))), BOTH);
      assert.deepEqual(namesOf(withCose(coseOf(new Map([[1, -7]]), new Map([[label, chain]])))), BOTH);
    }
    assert.deepEqual(namesOf(withCose(coseOf(new Map([[33, chain[0]]])))), BOTH.slice(0, 1));
  });

  it('returns nothing if the signature contains two chains', () => {
    const [chain, another] = [chainOf(...signer.chain), chainOf(...other.chain)];
    assert.deepEqual(namesOf(withCose(coseOf(new Map([[33, chain]]), new Map([[33, another]])))), []);
    const twoNames = new Map<unknown, unknown>([[33, chain], ['x5chain', another]]); // prettier-ignore
    assert.deepEqual(namesOf(withCose(coseOf(twoNames))), []);
    // This map contains the same key twice, which a JavaScript map can't.
    const once = coseOf(new Map(), new Map<number, unknown>([[33, 0], [34, chain]])); // prettier-ignore
    once[once.indexOf(Buffer.from([0x18, 33, 0, 0x18, 34])) + 4] = 33;
    assert.deepEqual(namesOf(withCose(once)), []);
  });

  it('accepts 64-bit box lengths and a box that extends to the end of the file', () => {
    const store = storeOf({ 'urn:a': signer.chain });
    const long = Buffer.alloc(16);
    long.writeUInt32BE(1);
    long.write('jumb', 4);
    long.writeBigUInt64BE(BigInt(store.length + 8), 8);
    assert.deepEqual(namesOf(Buffer.concat([long, store.subarray(8)])), BOTH);
    const open = Buffer.from(store);
    open.writeUInt32BE(0);
    assert.deepEqual(namesOf(open), BOTH);
    assert.deepEqual(namesOf(Buffer.concat([store, box('free', Buffer.alloc(3))])), BOTH);
    assert.deepEqual(namesOf(Buffer.concat([store, box('free', Buffer.alloc(0))])), BOTH);
    assert.deepEqual(namesOf(Buffer.concat([store, Buffer.alloc(7)])), BOTH, 'less than a box is left');
    const openSignature = Buffer.from(store);
    openSignature.writeUInt32BE(0, openSignature.indexOf('cbor') - 4);
    assert.deepEqual(namesOf(openSignature), BOTH);
  });

  it('returns nothing if a box length is impossible, the boxes are of other kinds, or the signature is missing', () => {
    const store = storeOf({ 'urn:a': signer.chain });
    for (const length of [2, 7, store.length + 1]) {
      const torn = Buffer.from(store);
      torn.writeUInt32BE(length);
      assert.deepEqual(namesOf(torn), [], String(length));
    }
    const long = Buffer.alloc(16);
    long.writeUInt32BE(1);
    long.write('jumb', 4);
    for (const length of [15n, 0n]) {
      long.writeBigUInt64BE(length, 8);
      assert.deepEqual(namesOf(Buffer.concat([long, store.subarray(8)])), [], String(length));
    }
    const cose = coseOf(new Map([[33, chainOf(...signer.chain)]]));
    const named = (label: string, type: string): Buffer =>
      superbox('c2pa', superbox('urn:a', superbox(label, box(type, cose))));
    assert.deepEqual(namesOf(named('c2pa.signature', 'cbor')), BOTH);
    assert.deepEqual(namesOf(named('c2pa.claim', 'cbor')), []);
    assert.deepEqual(namesOf(named('c2pa.signature', 'json')), []);
    const free = Buffer.from(store);
    free.write('free', 4);
    assert.deepEqual(namesOf(free), []);
    const inner = Buffer.from(store);
    inner.write('free', inner.indexOf('urn:a') - LABEL_TO_TYPE);
    assert.deepEqual(namesOf(inner), []);
    const decoy = manifestOf('urn:a', coseOf(new Map()));
    decoy.write('free', 4);
    assert.deepEqual(namesOf(superbox('c2pa', decoy, manifestOf('urn:a', cose))), BOTH);
  });

  it('never throws if the data ends early or the signature is arbitrary bytes', () => {
    const store = storeOf({ 'urn:a': signer.chain });
    for (let end = 0; end < store.length; end += 7) assert.deepEqual(namesOf(store.subarray(0, end)), []);
    const broken = [Buffer.alloc(0), Buffer.from([0xff]), coseOf(new Map([[33, 'text']])), coseOf(new Map())];
    for (const cose of broken) assert.deepEqual(namesOf(withCose(cose)), []);
  });

  it('accepts bytes that are part of a larger buffer', () => {
    const store = storeOf({ 'urn:a': signer.chain });
    const around = Buffer.concat([Buffer.alloc(5, 1), store]);
    assert.deepEqual(namesOf(around.subarray(5)), BOTH);
  });
});

/**
 * Offset from the label of a superbox back to its type: header, type and toggles of its description box, and
 * the type.
 */
const LABEL_TO_TYPE = 8 + 16 + 1 + 4;
