// Tests the state of each kind of manifest in every format that can contain one, on images signed here.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Credentials } from '../../../../src/library/check/types.js';
import type { Identity } from '../../../support/certificates.js';
import { sourceType } from '../../../support/sign.js';
import {
  CAPTURED,
  GENERATED,
  openStudio,
  SIGNABLE,
  SIGNABLE_FORMATS,
  TOOL,
  type Studio,
} from '../../../support/studio.js';

let studio: Studio;

before(async () => {
  studio = await openStudio();
});

after(() => studio.close());

for (const format of SIGNABLE_FORMATS) {
  const { mimeType } = SIGNABLE[format];

  async function read(bytes: Buffer): Promise<Credentials> {
    const credentials = await studio.reader.read(bytes, { format });
    assert.ok(credentials, 'the library found no manifest');
    return credentials;
  }

  describe(`Content Credentials in ${format}`, () => {
    it('are verified if the signer is trusted, and contain signer, tool and claim', async () => {
      const found = await read(await studio.sign(format));
      assert.equal(found.state, 'verified');
      assert.equal(found.verified, true);
      assert.equal(found.trustTier, 'operator');
      assert.equal(found.signer, 'Test Studio');
      assert.equal(found.ai, true);
      assert.equal(found.aiClaim, 'generated');
      assert.equal(found.tool, TOOL);
      assert.equal(found.claimGenerator, 'Telltale Tests');
      assert.equal(found.manifests.length, 1);
      assert.deepEqual(found.digitalSourceTypes, [sourceType('trainedAlgorithmicMedia')]);
    });

    it('are untrusted if the signer is unknown', async () => {
      const found = await read(await studio.sign(format, { signer: studio.stranger }));
      assert.equal(found.state, 'untrusted');
      assert.equal(found.verified, false);
      assert.equal(found.signer, 'A Stranger');
      assert.equal(found.ai, true);
      assert.ok(found.validationCodes.includes('signingCredential.untrusted'));
    });

    it('are tampered if the image was changed after signing', async () => {
      const plain = await studio.picture(format);
      const signed = await studio.sign(format);
      const found = await read(changePixel(signed, plain));
      assert.equal(found.state, 'tampered');
      assert.equal(found.verified, false);
      assert.ok(
        found.validationCodes.some((code) =>
          /^assertion\.(dataHash|bmffHash|boxesHash)\.mismatch$/.test(code),
        ),
      );
    });

    it('are tampered if an assertion was changed after signing', async () => {
      const signed = await studio.sign(format);
      const at = signed.indexOf('trainedAlgorithmicMedia');
      signed.write('brained', at);
      const found = await read(signed);
      assert.equal(found.state, 'tampered');
      assert.ok(found.validationCodes.includes('assertion.hashedURI.mismatch'));
    });

    it('are tampered if the signature was changed', async () => {
      const found = await read(changeSignature(await studio.sign(format)));
      assert.equal(found.state, 'tampered');
      assert.ok(found.validationCodes.includes('claimSignature.mismatch'));
    });

    it('are unreadable if the manifest is truncated', async () => {
      const signed = await studio.sign(format);
      const found = await studio.reader.read(breakOff(signed), { format });
      assert.equal(found?.state, 'unreadable');
      assert.equal(found.signer, null);
      assert.equal(found.ai, false);
    });

    it('record AI if an ingredient is AI-generated: for the whole image if a parent, otherwise for a part', async () => {
      const bytes = await studio.sign(format);
      const parent = await read(
        await studio.sign(format, {
          actions: [],
          ingredients: [{ bytes, mimeType, relationship: 'parentOf' }],
        }),
      );
      assert.equal(parent.verified, true);
      assert.deepEqual([parent.ai, parent.aiClaim, parent.tool], [true, 'generated', TOOL]);
      assert.equal(parent.manifests.length, 2);
      const part = await read(
        await studio.sign(format, {
          actions: [CAPTURED],
          ingredients: [{ bytes, mimeType, relationship: 'componentOf' }],
        }),
      );
      assert.equal(part.verified, true);
      assert.deepEqual([part.ai, part.aiClaim], [true, 'contains']);
    });

    it('record an edit by AI', async () => {
      const edit = {
        action: 'c2pa.edited',
        digitalSourceType: sourceType('compositeWithTrainedAlgorithmicMedia'),
      };
      const found = await read(await studio.sign(format, { actions: [CAPTURED, edit] }));
      assert.equal(found.verified, true);
      assert.deepEqual([found.ai, found.aiClaim, found.tool], [true, 'edited', 'Telltale Tests']);
    });

    it('ignore algorithms without training data, and entries about AI training and data mining', async () => {
      const algorithmic = await read(
        await studio.sign(format, {
          actions: [{ ...GENERATED, digitalSourceType: sourceType('algorithmicMedia') }],
        }),
      );
      assert.deepEqual([algorithmic.verified, algorithmic.ai, algorithmic.aiClaim], [true, false, null]);
      const entries = { 'c2pa.ai_generative_training': { use: 'notAllowed' } };
      const mining = await read(
        await studio.sign(format, {
          actions: [CAPTURED],
          assertions: { 'c2pa.training-mining': { entries } },
        }),
      );
      assert.deepEqual([mining.verified, mining.ai], [true, false]);
    });
  });
}

describe('an expired signer', () => {
  it('stay verified after the certificate expired if a trusted time stamp exists, and are untrusted without one', async () => {
    const { signed, until } = await signUntilExpired((signer) =>
      Promise.all(
        SIGNABLE_FORMATS.map(async (format) => ({
          format,
          plain: await studio.sign(format, { signer }),
          stamped: await studio.sign(format, { signer, timeStamps: studio.timeStamps }),
        })),
      ),
    );
    for (const { format, plain, stamped } of signed) {
      const expired = await studio.reader.read(plain, { format });
      assert.equal(expired?.state, 'untrusted', format);
      assert.ok(expired.validationCodes.includes('signingCredential.expired'), format);
      const kept = await studio.reader.read(stamped, { format });
      assert.equal(kept?.state, 'verified', format);
      assert.ok(kept.signedAt !== null && new Date(kept.signedAt) < until, format);
    }
  });

  it('are untrusted after the certificate expired if the time stamp is not trusted', async () => {
    const { signed } = await signUntilExpired((signer) =>
      studio.sign('jpeg', { signer, timeStamps: studio.timeStamps }),
    );
    const reader = await studio.openReader({ trustDir: await studio.trustDirWithout('studio-tsa.pem') });
    const found = await reader.read(signed, { format: 'jpeg' });
    assert.equal(found?.state, 'untrusted');
    assert.equal(found.signedAt, null);
  });
});

/**
 * Signs with a certificate that is valid while signing and has expired afterwards. If a slow machine takes
 * longer, it tries again with twice the lifetime.
 */
async function signUntilExpired<T>(
  sign: (signer: Identity) => Promise<T>,
): Promise<{ signed: T; until: Date }> {
  for (let lifetimeMs = 3000; ; lifetimeMs *= 2) {
    const until = new Date(Date.now() + lifetimeMs);
    const signer = studio.shop.issue(studio.root, { organization: 'Short Lived', until });
    const signed = await sign(signer);
    const leftMs = until.getTime() - Date.now();
    // The times in a certificate are whole seconds.
    if (leftMs < 1000) continue;
    await sleep(leftMs + 1500);
    return { signed, until };
  }
}

/** Changes one byte of the image data in `signed`, in the part that is equal to the unsigned image. */
function changePixel(signed: Buffer, plain: Buffer): Buffer {
  // In every test image the middle consists of encoded pixels. The manifest is inserted before or after them.
  const middle = plain.subarray(Math.floor(plain.length / 2), Math.floor(plain.length / 2) + 64);
  const at = signed.indexOf(middle);
  assert.ok(at > 0, 'the coded pixels are not found in the signed file');
  const changed = Buffer.from(signed);
  changed[at + 32] = (changed[at + 32] ?? 0) ^ 1;
  return changed;
}

/** Changes one byte of the signature, which is the last part of its structure (COSE_Sign1). */
function changeSignature(signed: Buffer): Buffer {
  const at = signed.indexOf('c2pa.signature');
  assert.ok(at > 0, 'there is no signature in the signed file');
  // An ECDSA signature of 64 bytes is a CBOR byte string that begins with 58 40.
  const bytes = signed.indexOf(Buffer.from([0xf6, 0x58, 0x40]), at);
  assert.ok(bytes > 0, 'there are no signature bytes');
  const changed = Buffer.from(signed);
  changed[bytes + 20]! ^= 1;
  return changed;
}

/** Ends the manifest store after its first third, by replacing all later bytes with zero. */
function breakOff(signed: Buffer): Buffer {
  const start = signed.indexOf('c2pa.claim');
  assert.ok(start > 0, 'there is no claim in the signed file');
  const cut = Buffer.from(signed);
  cut.fill(0, start, start + 2000);
  return cut;
}
