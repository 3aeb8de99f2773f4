// From validation results to a state: whose fault sinks what.
import assert from 'node:assert/strict';
import { classifyStore, collectCodes } from '../../../../src/library/check/credentials/classify.js';
import type { ManifestStore } from '../../../../src/library/check/credentials/manifest-store.js';

/** A store whose own signer the library trusts, with what it finds of an ingredient. */
function storeWith(
  ingredientFailures: readonly string[],
  ownFailures: readonly string[] = [],
): ManifestStore {
  const statuses = (codes: readonly string[]): { code: string }[] => codes.map((code) => ({ code }));
  return {
    validation_state: ingredientFailures.length + ownFailures.length === 0 ? 'Trusted' : 'Invalid',
    validation_results: {
      activeManifest: {
        success: statuses(['signingCredential.trusted', 'claimSignature.validated']),
        failure: statuses(ownFailures),
      },
      ingredientDeltas: [
        {
          ingredientAssertionURI: 'self#jumbf=/c2pa/outer/c2pa.assertions/c2pa.ingredient.v3',
          validationDeltas: { failure: statuses(ingredientFailures) },
        },
      ],
    },
  };
}

describe('classifyStore', () => {
  it("does not hold an ingredient's unknown signer against the image's own", () => {
    assert.equal(classifyStore(storeWith([]), true), 'verified');
    assert.equal(classifyStore(storeWith(['signingCredential.untrusted']), true), 'verified');
  });

  it('asks for a chain of our own reading all the same', () => {
    assert.equal(classifyStore(storeWith(['signingCredential.untrusted']), false), 'untrusted');
  });

  it('lets every other fault of an ingredient, and each of its own, stand', () => {
    assert.equal(classifyStore(storeWith(['assertion.hashedURI.mismatch']), true), 'tampered');
    assert.equal(classifyStore(storeWith(['claim.malformed']), true), 'unreadable');
    assert.equal(classifyStore(storeWith([], ['claimSignature.outsideValidity']), true), 'untrusted');
    assert.equal(classifyStore(storeWith([], ['assertion.dataHash.mismatch']), true), 'tampered');
  });

  it('takes a change for worse than a malformed part, and that for worse than an unknown signer', () => {
    const changed = 'assertion.dataHash.mismatch';
    assert.equal(classifyStore(storeWith([], ['claim.malformed', changed]), true), 'tampered');
    assert.equal(classifyStore(storeWith([], [changed, 'signingCredential.untrusted']), true), 'tampered');
    const unknown = ['signingCredential.untrusted', 'claim.malformed'];
    assert.equal(classifyStore(storeWith([], unknown), true), 'unreadable');
  });

  it('verifies nothing whose signature or signer the library has not found sound', () => {
    const found = (...codes: string[]): ManifestStore => ({
      validation_state: 'Valid',
      validation_results: { activeManifest: { success: codes.map((code) => ({ code })) } },
    });
    const [trusted, intact] = ['signingCredential.trusted', 'claimSignature.validated'];
    assert.equal(classifyStore(found(trusted, intact), true), 'verified');
    for (const store of [found(trusted), found(intact), found()])
      assert.equal(classifyStore(store, true), 'untrusted');
  });

  it("goes by the library's word for the whole where it tells no results", () => {
    assert.equal(classifyStore({ validation_state: 'Valid' }, true), 'untrusted');
    assert.equal(classifyStore({ validation_state: 'Valid', validation_results: {} }, true), 'untrusted');
    assert.equal(classifyStore({ validation_state: 'Trusted' }, true), 'unreadable');
    assert.equal(classifyStore({}, true), 'unreadable');
  });
});

describe('collectCodes', () => {
  it("gives failures first, the image's own before its ingredients', then what is informational, each once", () => {
    const codes = (...list: string[]) => list.map((code) => ({ code }));
    const store: ManifestStore = {
      validation_results: {
        activeManifest: { success: codes('s'), informational: codes('i', 'f'), failure: codes('f', 'g') },
        ingredientDeltas: [
          { ingredientAssertionURI: '', validationDeltas: { informational: codes('j') } },
          { ingredientAssertionURI: '', validationDeltas: { failure: codes('g', 'h') } },
        ],
      },
    };
    assert.deepEqual(collectCodes(store), ['f', 'g', 'h', 'i', 'j']);
    assert.deepEqual(collectCodes({}), []);
    assert.deepEqual(collectCodes({ validation_results: { activeManifest: {} } }), []);
  });
});
