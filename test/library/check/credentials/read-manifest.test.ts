// Tests reading a signed file in this process, with the same results as in the separate process.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import {
  prepareTrust,
  readManifest,
  type PreparedTrust,
  type ReaderTrust,
} from '../../../../src/library/check/credentials/read-manifest.js';
import type { Credentials } from '../../../../src/library/check/types.js';
import { sourceType, signApart } from '../../../support/sign.js';
import { CAPTURED, openStudio, TOOL, type Studio } from '../../../support/studio.js';

describe('reading a file’s manifest', () => {
  let studio: Studio;
  let trust: PreparedTrust;

  before(async () => {
    studio = await openStudio();
    trust = trusting({});
  });
  after(() => studio.close());

  /**
   * Returns a configuration that trusts the test's root certificate as the operator's own, unless `signing`
   * states otherwise.
   */
  function trusting(
    signing: Partial<ReaderTrust['signing']>,
    timeStamp = [studio.timeStampRoot.certificate.toString()],
  ): PreparedTrust {
    const operator = [studio.root.certificate.toString()];
    return prepareTrust({ signing: { official: [], operator, interim: [], ...signing }, timeStamp });
  }

  async function read(bytes: Buffer, by = trust): Promise<Credentials> {
    const found = await readManifest({ bytes, mimeType: 'image/png', manifest: null }, by);
    assert.ok(found);
    return found;
  }

  const INTACT = {
    found: true,
    state: 'verified',
    signer: 'Test Studio',
    verified: true,
    trustTier: 'operator',
    signedAt: null,
    ai: true,
    aiClaim: 'generated',
    aiCounts: true,
    tool: TOOL,
    claimGenerator: 'Telltale Tests',
    validationCodes: [],
    digitalSourceTypes: [sourceType('trainedAlgorithmicMedia')],
    softBindings: [],
    generator: null,
  };
  const UNREAD = {
    ...INTACT,
    state: 'unreadable',
    signer: null,
    verified: false,
    trustTier: null,
    ai: false,
    aiClaim: null,
    aiCounts: false,
    tool: null,
    claimGenerator: null,
    manifests: [],
    chain: [],
    validationCodes: ['general.error'],
    digitalSourceTypes: [],
  };

  it('reports the claims of a trusted signer', async () => {
    const { manifests, chain, ...found } = await read(await studio.sign('png'));
    assert.deepEqual(found, INTACT);
    assert.equal(manifests.length, 1);
    assert.deepEqual(chain, [
      {
        label: manifests[0],
        signer: 'Test Studio',
        claimGenerator: 'Telltale Tests',
        actions: [
          {
            action: 'c2pa.created',
            when: null,
            software: TOOL,
            digitalSourceType: sourceType('trainedAlgorithmicMedia'),
          },
        ],
        ingredients: [],
      },
    ]);
    const { ai, aiClaim, aiCounts, verified } = await read(await studio.sign('png', { actions: [CAPTURED] }));
    assert.deepEqual([ai, aiClaim, aiCounts, verified], [false, null, false, true]);
  });

  it('reports the claims of an unknown signer, but does not base the verdict on them', async () => {
    const { manifests, chain, ...found } = await read(await studio.sign('png', { signer: studio.stranger }));
    assert.deepEqual(found, {
      ...INTACT,
      state: 'untrusted',
      signer: 'A Stranger',
      verified: false,
      trustTier: null,
      aiCounts: false,
      validationCodes: ['signingCredential.untrusted'],
    });
    assert.deepEqual([manifests.length, chain[0]?.signer], [1, 'A Stranger']);
  });

  it('adds a validation code if only the C2PA library trusts the signer', async () => {
    const signer = studio.shop.issue(studio.signer, { organization: 'Below A Signer' });
    const found = await read(await studio.sign('png', { signer }));
    assert.deepEqual([found.state, found.validationCodes], ['untrusted', ['signingCredential.untrusted']]);
  });

  it('reports the kind of trust list that contains the signer’s authority, and does not count the interim list as trusted', async () => {
    const bytes = await studio.sign('png');
    const own = [studio.root.certificate.toString()];
    const judge = async (signing: Partial<ReaderTrust['signing']>): Promise<readonly unknown[]> => {
      const { state, trustTier } = await read(bytes, trusting({ operator: [], ...signing }));
      return [state, trustTier];
    };
    assert.deepEqual(await judge({ official: own }), ['verified', 'official']);
    assert.deepEqual(await judge({ interim: own }), ['untrusted', 'interim']);
    assert.deepEqual(await judge({}), ['untrusted', null]);
  });

  it('takes the signing time only from a trusted time stamp', async () => {
    const bytes = await studio.sign('png', { timeStamps: studio.timeStamps });
    const { signedAt } = await read(bytes);
    assert.ok(signedAt !== null && Math.abs(Date.now() - new Date(signedAt).getTime()) < 600_000);
    assert.equal((await read(bytes, trusting({}, []))).signedAt, null);
  });

  it('reports a change after signing, and an unreadable manifest', async () => {
    const signed = await studio.sign('png');
    const changed = Buffer.from(signed);
    changed[changed.length - 60]! ^= 1;
    const { state, aiCounts, ai, validationCodes } = await read(changed);
    assert.deepEqual([state, aiCounts, ai], ['tampered', false, true]);
    assert.ok(validationCodes.includes('assertion.dataHash.mismatch'));
    const torn = Buffer.from(signed);
    torn.fill(0, torn.indexOf('c2pa.claim'), torn.indexOf('c2pa.claim') + 2000);
    assert.deepEqual(await read(torn), UNREAD);
  });

  it('returns no manifest for a plain image', async () => {
    const file = { bytes: await studio.picture('png'), mimeType: 'image/png', manifest: null };
    assert.equal(await readManifest(file, trust), null);
  });

  it('uses a manifest from another file only for the image that the manifest describes', async () => {
    const plain = { buffer: await studio.picture('png'), mimeType: 'image/png' };
    const { picture, manifest } = await signApart(plain, {
      signer: studio.signer,
      actions: [CAPTURED],
      remoteUrl: 'https://example.org/m.c2pa',
      embed: false,
    });
    const judge = async (bytes: Buffer): Promise<string | undefined> =>
      (await readManifest({ bytes, mimeType: 'image/png', manifest }, trust))?.state;
    assert.equal(await judge(picture), 'verified');
    assert.equal(await judge(plain.buffer), 'tampered');
  });

  it('lists the image first, then its ingredients, and counts only the claims of trusted signers', async () => {
    for (const [signer, counts] of [
      [studio.signer, true],
      [studio.stranger, false],
    ] as const) {
      // prettier-ignore
      const bytes = await studio.sign('png', { signer });
      const inner = await read(bytes);
      const ingredients = [{ bytes, mimeType: 'image/png', relationship: 'parentOf' as const }];
      const outer = await read(await studio.sign('png', { actions: [], ingredients }));
      assert.deepEqual([outer.state, outer.ai, outer.aiCounts], ['verified', true, counts]);
      assert.equal(outer.manifests.length, 2);
      assert.equal(outer.manifests[1], inner.manifests[0]);
      const [newest, oldest] = outer.chain;
      assert.deepEqual(
        newest?.ingredients.map(({ relationship, manifest }) => [relationship, manifest]),
        [['parentOf', oldest?.label]],
      );
      assert.deepEqual(oldest, inner.chain[0]);
    }
  });

  it('reports references to invisible watermarks (soft bindings)', async () => {
    const data = { alg: 'com.example.mark', blocks: [{ scope: {}, value: 'MipQ' }] };
    const found = await read(await studio.sign('png', { assertions: { 'c2pa.soft-binding': data } }));
    assert.deepEqual([found.state, found.softBindings], ['verified', ['com.example.mark']]);
  });

  it('limits the length of every text and list, whatever the file contains', async () => {
    const long = (name: string): string => `${name}\n\u001b[31m\u202e${'x'.repeat(1_000_000)}`;
    const signed = await studio.sign('png', {
      generator: long('generator'),
      actions: [
        { action: 'c2pa.created', softwareAgent: { name: long('NovelAI') } },
        ...Array.from({ length: 40 }, (_, at) => ({
          action: 'c2pa.edited',
          digitalSourceType:
            at === 0
              ? sourceType('trainedAlgorithmicMedia')
              : at === 1
                ? long('type')
                : `http://type.example/${at}`,
          softwareAgent: { name: at === 0 ? long('tool') : 'another' },
        })),
      ],
      assertions: { 'c2pa.soft-binding': { alg: long('alg'), blocks: [] } },
    });
    const found = await read(signed);
    const begun = (name: string, characters: number): string => `${name} [31m ${'x'.repeat(characters)}…`;
    assert.deepEqual(
      [found.aiClaim, found.tool, found.claimGenerator, found.generator],
      ['edited', begun('tool', 53), begun('generator', 48), begun('NovelAI', 50)],
    );
    assert.deepEqual(found.softBindings, [begun('alg', 118)]);
    assert.equal(found.digitalSourceTypes.length, 16);
    assert.equal(found.digitalSourceTypes[1], begun('type', 117));
    const longSigner = await read(readFileSync('test/fixtures/manifests/long_signer.png'));
    assert.equal(longSigner.signer, `${'A'.repeat(63)}…`);
    for (const one of [found, longSigner]) assert.ok(JSON.stringify(one).length < 5_000);
  });

  it('refuses a manifest that unpacks to more than 4 MB', async () => {
    assert.deepEqual(await read(readFileSync('test/fixtures/manifests/unpacked_16mb.png')), UNREAD);
  });
});
