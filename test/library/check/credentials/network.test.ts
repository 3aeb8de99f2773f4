// Tests that reading credentials never uses the network, whatever a file refers to. Each test first shows
// that the C2PA library would use it.
import assert from 'node:assert/strict';
import { sign, generateKeyPairSync } from 'node:crypto';
import { encode, Tagged } from 'cborg';
import { library, readByLibrary } from '../../../support/c2pa.js';
import { startCanary, type Canary } from '../../../support/canary.js';
import { makeSigner } from '../../../support/sign.js';
import { GENERATED, openStudio, type Studio } from '../../../support/studio.js';

let studio: Studio;
let canary: Canary;

before(async () => {
  studio = await openStudio();
});

beforeEach(async () => {
  canary = await startCanary();
});

afterEach(() => canary.close());

after(() => studio.close());

/** Reads with the C2PA library directly, with its defaults and `settings`. Ignores the result. */
async function provoke(buffer: Buffer, settings: object = {}): Promise<void> {
  await readByLibrary({ buffer, mimeType: 'image/jpeg' }, settings).catch(() => undefined);
}

describe('reading Content Credentials', () => {
  it('does not fetch a remote manifest', async () => {
    const bytes = await studio.sign('jpeg', {
      remoteUrl: `http://127.0.0.1:${canary.port}/m.c2pa`,
      embed: false,
    });
    await provoke(bytes);
    const control = canary.visits();
    assert.ok(control > 0, 'the library did not try: this test shows nothing');
    const found = await studio.reader.read(bytes, { format: 'jpeg' });
    assert.equal(canary.visits(), control);
    assert.equal(found?.state, 'unreadable');
  });

  it('does not fetch a remote manifest if the image also has an embedded one', async () => {
    const bytes = await studio.sign('jpeg', { remoteUrl: `http://127.0.0.1:${canary.port}/m.c2pa` });
    const found = await studio.reader.read(bytes, { format: 'jpeg' });
    assert.equal(found?.state, 'verified');
    assert.equal(canary.visits(), 0);
  });

  it('does not ask a server whether a certificate is revoked', async () => {
    const address = `http://127.0.0.1:${canary.port}/`;
    const authority = studio.shop.issue(studio.root, { commonName: 'Revoking Authority', authority: true });
    const signer = studio.shop.issue(authority, { organization: 'Asked About', statusUrl: address });
    const bytes = await studio.sign('jpeg', { signer });
    await provoke(bytes, { verify: { ocsp_fetch: true } });
    const control = canary.visits();
    assert.ok(control > 0, 'the library did not try: this test shows nothing');
    const found = await studio.reader.read(bytes, { format: 'jpeg' });
    assert.equal(found?.state, 'verified');
    assert.equal(canary.visits(), control);
  });

  it('does not resolve the did:web identity of an assertion', async () => {
    const bytes = await signWithIdentity(`did:web:localhost%3A${canary.port}`);
    // There is no comparison here: by default, the library of c2pa-node 0.9.8 does not resolve the identity
    // either.
    const found = await studio.reader.read(bytes, { format: 'jpeg' });
    assert.equal(canary.visits(), 0);
    assert.equal(found?.state, 'verified');
  });
});

/**
 * Returns an image whose manifest has an identity assertion by the issuer `did`. Source: CAWG identity assertion 1.1.
 */
async function signWithIdentity(did: string): Promise<Buffer> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const credential = (payload: unknown): Buffer => {
    const vc = Buffer.from(
      JSON.stringify({
        '@context': ['https://www.w3.org/ns/credentials/v2', 'https://cawg.io/identity/1.1/ica/context/'],
        type: ['VerifiableCredential', 'IdentityClaimsAggregationCredential'],
        issuer: did,
        validFrom: '2025-01-01T00:00:00Z',
        credentialSubject: {
          verifiedIdentities: [
            {
              type: 'cawg.social_media',
              username: 'test',
              uri: 'https://example.org/',
              verifiedAt: '2025-01-01T00:00:00Z',
              provider: { id: 'https://example.org', name: 'Example' },
            },
          ],
          c2paAsset: encodeHashes(payload),
        },
      }),
    );
    const header = encode(
      new Map<number, unknown>([
        [1, -8],
        [3, 'application/vc'],
      ]),
    );
    const signature = sign(null, encode(['Signature1', header, new Uint8Array(), vc]), privateKey);
    return Buffer.from(
      encode(new Tagged(18, [header, new Map(), new Uint8Array(vc), new Uint8Array(signature)])),
    );
  };
  const holder = library.newCallbackCredentialHolder(10_000, 'cawg.identity_claims_aggregation', (payload) =>
    Promise.resolve(credential(payload)),
  );
  const identity = library.identityBuilderForCredentialHolder(holder);
  library.identityBuilderAddReferencedAssertions.call(identity, ['c2pa.actions']);
  const signer = library.identitySignerNew(makeSigner({ signer: studio.signer }));
  library.identitySignerAddIdentityAssertion.call(signer, identity);
  const builder = library.builderWithJson(
    JSON.stringify({
      claim_generator_info: [{ name: 'Telltale Tests' }],
      assertions: [{ label: 'c2pa.actions.v2', data: { actions: [GENERATED] } }],
    }),
    JSON.stringify({ verify: { verify_after_sign: false } }),
  );
  const image = { buffer: await studio.picture('jpeg'), mimeType: 'image/jpeg' };
  const signed = await library.builderIdentitySignAsync.call(builder, signer, image, { buffer: null });
  return signed.signedAsset;
}

/** Replaces bytes with base64, as the JSON of an identity credential requires. */
function encodeHashes(payload: unknown): unknown {
  return JSON.parse(
    JSON.stringify(payload, (_name, value: unknown) =>
      isBuffer(value) ? Buffer.from(value.data).toString('base64') : value,
    ),
  );
}

/** Returns true for a Buffer as JSON.stringify writes it. */
function isBuffer(value: unknown): value is { type: 'Buffer'; data: number[] } {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer';
}
