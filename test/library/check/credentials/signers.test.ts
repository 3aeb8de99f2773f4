// Tests which signatures count: only a chain of valid authorities to a trusted signer, never a name or a time
// stamp authority.
import assert from 'node:assert/strict';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ManifestStore } from '../../../../src/library/check/credentials/find-credentials.js';
import { CLAIM_PURPOSES } from '../../../../src/library/check/credentials/signers.js';
import type { Credentials } from '../../../../src/library/check/types.js';
import { readByLibrary } from '../../../support/c2pa.js';
import type { Identity } from '../../../support/certificates.js';
import { makeFolder } from '../../../support/folders.js';
import { openStudio, type Studio } from '../../../support/studio.js';

let studio: Studio;

before(async () => {
  studio = await openStudio();
});

after(() => studio.close());

async function readSignedBy(signer: Identity, reader = studio.reader): Promise<Credentials> {
  const found = await reader.read(await studio.sign('png', { signer }), { format: 'png' });
  assert.ok(found);
  return found;
}

/**
 * Returns the state that the C2PA library reports on its own, with all trusted certificates in its single
 * list.
 */
async function libraryState(signer: Identity): Promise<string | undefined> {
  const anchors = [studio.root, studio.timeStampRoot]
    .map(({ certificate }) => certificate.toString())
    .join('');
  const purposes = [...CLAIM_PURPOSES, '1.3.6.1.5.5.7.3.8', '1.3.6.1.5.5.7.3.9'];
  const settings = { trust: { trust_anchors: anchors, trust_config: purposes.join('\n') } };
  const image = { buffer: await studio.sign('png', { signer }), mimeType: 'image/png' };
  const store = (await readByLibrary(image, settings)) as ManifestStore | null;
  return store?.validation_state;
}

describe('the signature of an image', () => {
  it('is not verified if the certificate was issued by a signer instead of a certificate authority', async () => {
    const signer = studio.shop.issue(studio.signer, { organization: 'Issued By A Signer' });
    assert.equal(await libraryState(signer), 'Valid');
    const found = await readSignedBy(signer);
    assert.equal(found.state, 'untrusted');
    assert.equal(found.verified, false);
    assert.equal(found.trustTier, null);
    assert.equal(found.validationCodes[0], 'signingCredential.untrusted');
  });

  it('is not verified if the signer is a time stamp authority, even if the C2PA library trusts the authority', async () => {
    const signer = studio.shop.issue(studio.timeStampRoot, { organization: 'Time Stamp Customer' });
    assert.equal(await libraryState(signer), 'Trusted');
    const found = await readSignedBy(signer);
    assert.equal(found.state, 'untrusted');
    assert.equal(found.trustTier, null);
  });

  for (const purpose of ['critical,timeStamping', 'OCSPSigning'])
    it(`is not verified if the certificate has the purpose ${purpose}, even if the C2PA library trusts it`, async () => {
      const signer = studio.shop.issue(studio.root, { organization: 'Some Unit', purpose });
      assert.equal(await libraryState(signer), 'Trusted');
      const found = await readSignedBy(signer);
      assert.equal(found.state, 'untrusted');
      assert.equal(found.trustTier, null);
      assert.equal(found.validationCodes[0], 'signingCredential.untrusted');
    });

  it('is not verified if the signer only has the same name as a trusted signer', async () => {
    const impostor = studio.shop.issue(studio.shop.makeRoot('Studio Root'), { organization: 'Test Studio' });
    const found = await readSignedBy(impostor);
    assert.equal(found.signer, 'Test Studio');
    assert.equal(found.state, 'untrusted');
  });

  it('is not verified if the certificate authority has expired', async () => {
    const [from, until] = [new Date(Date.now() - 7_200_000), new Date(Date.now() - 3_600_000)];
    const lapsed = studio.shop.issue(studio.root, { commonName: 'Lapsed', authority: true, from, until });
    const found = await readSignedBy(studio.shop.issue(lapsed, { organization: 'Below A Lapsed Authority' }));
    assert.equal(found.state, 'untrusted');
  });

  it('is not verified without a trust list', async () => {
    const reader = await studio.openReader({ trustDir: undefined });
    assert.equal((await readSignedBy(studio.signer, reader)).state, 'untrusted');
    const missing = await studio.openReader({ trustDir: join(studio.trustDir, 'missing') });
    assert.equal((await readSignedBy(studio.signer, missing)).state, 'untrusted');
  });

  describe('a signer on the interim trust list', () => {
    let dir: string;

    before(async () => {
      dir = makeFolder('interim');
      await mkdir(join(dir, 'interim'));
    });

    it('is reported as interim and does not verify the image, whether the list contains its authority or its own certificate', async () => {
      await cp(studio.root.certificatePath, join(dir, 'interim', 'anchors.pem'));
      await writeFile(join(dir, 'interim', 'allowed.pem'), studio.stranger.certificate.toString());
      const reader = await studio.openReader({ trustDir: dir });
      for (const signer of [studio.signer, studio.stranger]) {
        const found = await readSignedBy(signer, reader);
        assert.equal(found.state, 'untrusted');
        assert.equal(found.verified, false);
        assert.equal(found.trustTier, 'interim');
      }
    });
  });

  it("is distinguished from signers on the official list and on the operator's own list", async () => {
    const dir = await studio.trustDirWithout('studio.pem');
    await writeFile(join(dir, 'C2PA-TRUST-LIST.pem'), studio.root.certificate.toString());
    const found = await readSignedBy(studio.signer, await studio.openReader({ trustDir: dir }));
    assert.equal(found.state, 'verified');
    assert.equal(found.trustTier, 'official');
  });
});

describe('an ingredient of a signed image', () => {
  const opened = (bytes: Buffer) => ({
    actions: [],
    ingredients: [{ bytes, mimeType: 'image/png', relationship: 'parentOf' as const }],
  });

  it('is reported but not used in a verified image if the ingredient’s own signer is unknown', async () => {
    const inner = await studio.sign('png', { signer: studio.stranger });
    const found = await studio.reader.read(await studio.sign('png', opened(inner)), { format: 'png' });
    assert.equal(found?.state, 'verified');
    assert.deepEqual([found.ai, found.aiClaim, found.aiCounts], [true, 'generated', false]);
    assert.equal(found.manifests.length, 2);
  });

  it('is used in a verified image if its signer is trusted, before ingredients with unknown signers', async () => {
    const placed = (bytes: Buffer) => ({
      bytes,
      mimeType: 'image/png',
      relationship: 'componentOf' as const,
    });
    const signed = await studio.sign('png', {
      actions: [],
      ingredients: [
        placed(await studio.sign('png')),
        ...opened(await studio.sign('png', { signer: studio.stranger })).ingredients,
      ],
    });
    const found = await studio.reader.read(signed, { format: 'png' });
    assert.equal(found?.state, 'verified');
    assert.deepEqual([found.ai, found.aiClaim, found.aiCounts], [true, 'contains', true]);
  });

  it('does not make a verified image AI if the ingredient was changed before it was added', async () => {
    const inner = await studio.sign('png');
    inner[inner.length - 60] = (inner[inner.length - 60] ?? 0) ^ 1;
    const alone = await studio.reader.read(inner, { format: 'png' });
    assert.equal(alone?.state, 'tampered');
    const found = await studio.reader.read(await studio.sign('png', opened(inner)), { format: 'png' });
    assert.equal(found?.state, 'verified');
    assert.equal(found.ai, false);
  });

  it('is reported with its claims if the image is not verified', async () => {
    const inner = await studio.sign('png', { signer: studio.stranger });
    const outer = await studio.sign('png', { ...opened(inner), signer: studio.stranger });
    const found = await studio.reader.read(outer, { format: 'png' });
    assert.equal(found?.state, 'untrusted');
    assert.deepEqual([found.ai, found.aiClaim, found.aiCounts], [true, 'generated', false]);
  });
});
