// Tests how records of AI are read from the ingredients of an image.
import assert from 'node:assert/strict';
import { readAiRecord } from '../../../../src/library/check/credentials/ai-record.js';
import type {
  Assertion,
  Ingredient,
  Manifest,
  ManifestStore,
} from '../../../../src/library/check/credentials/find-credentials.js';

const IPTC = 'http://cv.iptc.org/newscodes/digitalsourcetype/';
const AI = `${IPTC}trainedAlgorithmicMedia`;

function actions(...list: object[]): Assertion {
  return { label: 'c2pa.actions.v2', data: { actions: list } };
}

describe('the AI record of ingredients (images that were used to make an image)', () => {
  const generated: Manifest = { assertions: [actions({ action: 'c2pa.created', digitalSourceType: AI })] };
  const address = 'self#jumbf=/c2pa/outer/c2pa.assertions/c2pa.ingredient.v3';
  const always = (): boolean => true;

  function storeWith(
    ingredient: Ingredient,
    inner: Manifest = generated,
    more: Partial<ManifestStore> = {},
  ): ManifestStore {
    const outer = { ingredients: [{ label: 'c2pa.ingredient.v3', active_manifest: 'inner', ...ingredient }] };
    return { active_manifest: 'outer', manifests: { outer, inner }, ...more };
  }

  function delta(code: string): Partial<ManifestStore> {
    const validationDeltas = { failure: [{ code }] };
    return {
      validation_results: { ingredientDeltas: [{ ingredientAssertionURI: address, validationDeltas }] },
    };
  }

  it('applies a parent to the whole image, and every other ingredient to a part of it', () => {
    assert.equal(readAiRecord(storeWith({ relationship: 'parentOf' }), always).claim, 'generated');
    assert.equal(readAiRecord(storeWith({ relationship: 'componentOf' }), always).claim, 'contains');
    assert.equal(readAiRecord(storeWith({ relationship: 'inputTo' }), always).claim, 'contains');
  });

  it('ignores ingredients without AI, and takes the name of a generator only from the parent', () => {
    const captured = {
      assertions: [actions({ action: 'c2pa.created', digitalSourceType: `${IPTC}digitalCapture` })],
    };
    assert.equal(readAiRecord(storeWith({ relationship: 'componentOf' }, captured), always).claim, null);
    const created = { assertions: [actions({ action: 'c2pa.created', softwareAgent: 'Midjourney' })] };
    const generatorOf = (relationship: 'parentOf' | 'componentOf') =>
      readAiRecord(storeWith({ relationship }, created), always).generator;
    assert.deepEqual([generatorOf('parentOf'), generatorOf('componentOf')], ['Midjourney', null]);
  });

  it('checks the signer of an ingredient only if the ingredient has a manifest', () => {
    const inner = {
      label: 'c2pa.ingredient.v3',
      active_manifest: 'inner',
      relationship: 'parentOf',
    } as const;
    const outer = { ingredients: [{ relationship: 'parentOf' as const }, inner] };
    const asked: string[] = [];
    const isTrusted = (label: string) => asked.push(label) > 0;
    const store = { active_manifest: 'outer', manifests: { outer, inner: generated } };
    assert.equal(readAiRecord(store, isTrusted).claim, 'generated');
    assert.deepEqual(asked, ['inner']);
  });

  it('ignores confirmations and time stamps that C2PA 1.x lists among the errors', () => {
    const codes = [
      'claimSignature.validated',
      'signingCredential.trusted',
      'assertion.dataHash.match',
      'assertion.accessible',
      'timeStamp.mismatch',
    ];
    const validation_status = codes.map((code) => ({ code }));
    for (const isTrusted of [always, null]) {
      const judge = (ingredient: Ingredient): string | null =>
        readAiRecord(storeWith({ relationship: 'parentOf', ...ingredient }), isTrusted).claim;
      assert.equal(judge({ validation_status }), 'generated');
      assert.equal(judge({ validation_status, validation_results: {} }), 'generated');
      assert.equal(judge({ validation_status: [...validation_status, { code: 'claim.malformed' }] }), null);
    }
  });

  it('ignores a manifest to which no ingredient refers', () => {
    const store = { active_manifest: 'outer', manifests: { outer: {}, inner: generated } };
    assert.equal(readAiRecord(store, always).claim, null);
    assert.deepEqual(readAiRecord(store, always).digitalSourceTypes, []);
  });

  it('ignores an ingredient that was changed, whether this was detected now or when the ingredient was added', () => {
    const failure = [{ code: 'assertion.dataHash.mismatch' }];
    const recorded: Ingredient[] = [
      { validation_results: { activeManifest: { failure } } },
      { validation_status: failure },
    ];
    for (const isTrusted of [always, null]) {
      for (const ingredient of recorded) {
        assert.equal(
          readAiRecord(storeWith({ relationship: 'parentOf', ...ingredient }), isTrusted).claim,
          null,
        );
      }
      const now = storeWith({ relationship: 'parentOf' }, generated, delta('claimSignature.mismatch'));
      assert.equal(readAiRecord(now, isTrusted).claim, null);
    }
  });

  it('requires an ingredient to have a trusted signer only if the signer of the image is trusted', () => {
    const store = storeWith({ relationship: 'parentOf' });
    assert.equal(readAiRecord(store, () => false).claim, null);
    assert.equal(readAiRecord(store, null).claim, 'generated');
    const doubted = storeWith({ relationship: 'parentOf' }, generated, delta('signingCredential.untrusted'));
    assert.equal(readAiRecord(doubted, always).claim, null);
    assert.equal(readAiRecord(doubted, null).claim, 'generated');
  });

  it('accepts an ingredient whose signer is trusted now, although unknown when the ingredient was added', () => {
    const trustedNow: Partial<ManifestStore> = {
      validation_results: {
        ingredientDeltas: [
          {
            ingredientAssertionURI: address,
            validationDeltas: { success: [{ code: 'signingCredential.trusted' }] },
          },
        ],
      },
    };
    const recorded = (code: string): ManifestStore =>
      storeWith({ relationship: 'parentOf', validation_status: [{ code }] }, generated, trustedNow);
    assert.equal(readAiRecord(recorded('signingCredential.untrusted'), always).claim, 'generated');
    assert.equal(readAiRecord(recorded('signingCredential.ocsp.revoked'), always).claim, null);
    const stillUnknown = storeWith({
      relationship: 'parentOf',
      validation_status: [{ code: 'signingCredential.untrusted' }],
    });
    assert.equal(readAiRecord(stillUnknown, always).claim, null);
  });

  it('accepts a nested ingredient with an unknown signer if the program that first added the ingredient trusted the signer', () => {
    const doubtedLater = (success: readonly string[]): ManifestStore => {
      const results = { activeManifest: { success: success.map((code) => ({ code })) } };
      const store = storeWith({ relationship: 'parentOf', validation_results: results }, generated);
      const doubt = {
        ingredientAssertionURI: address,
        validationDeltas: { failure: [{ code: 'signingCredential.untrusted' }] },
      };
      const last = { ingredients: [{ validation_results: { ingredientDeltas: [doubt] } }] };
      return { ...store, manifests: { ...store.manifests, last } };
    };
    assert.equal(readAiRecord(doubtedLater(['signingCredential.trusted']), always).claim, 'generated');
    assert.equal(readAiRecord(doubtedLater(['signingCredential.trusted']), () => false).claim, null);
    assert.equal(readAiRecord(doubtedLater([]), always).claim, null);
  });

  it('ends even if ingredients refer to each other in a circle', () => {
    const back: Ingredient = {
      label: 'c2pa.ingredient.v3',
      relationship: 'parentOf',
      active_manifest: 'outer',
    };
    const store = storeWith({ relationship: 'parentOf' }, { ...generated, ingredients: [back, back] });
    assert.equal(readAiRecord(store, always).claim, 'generated');
  });
});
