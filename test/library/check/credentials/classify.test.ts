// Tests how the results of a validation become one state of the credentials.
import assert from 'node:assert/strict';
import { classifyStore, collectCodes } from '../../../../src/library/check/credentials/classify.js';
import type { ManifestStore } from '../../../../src/library/check/credentials/find-credentials.js';

/** Returns a manifest store with a trusted signer, in which an ingredient has the given validation errors. */
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

describe('the state of Content Credentials, derived from validation results', () => {
  it('ignores an unknown signer of an ingredient if the signer of the image is trusted', () => {
    assert.equal(classifyStore(storeWith([]), true), 'verified');
    assert.equal(classifyStore(storeWith(['signingCredential.untrusted']), true), 'verified');
  });

  it('requires a certificate chain to a trusted signer even if the C2PA library reports trust', () => {
    assert.equal(classifyStore(storeWith(['signingCredential.untrusted']), false), 'untrusted');
  });

  it('counts every other error of an ingredient, and every error of the image', () => {
    assert.equal(classifyStore(storeWith(['assertion.hashedURI.mismatch']), true), 'tampered');
    assert.equal(classifyStore(storeWith(['claim.malformed']), true), 'unreadable');
    assert.equal(classifyStore(storeWith([], ['claimSignature.outsideValidity']), true), 'untrusted');
    assert.equal(classifyStore(storeWith([], ['assertion.dataHash.mismatch']), true), 'tampered');
  });

  it('treats a changed file as worse than a malformed part, and a malformed part as worse than an unknown signer', () => {
    const changed = 'assertion.dataHash.mismatch';
    assert.equal(classifyStore(storeWith([], ['claim.malformed', changed]), true), 'tampered');
    assert.equal(classifyStore(storeWith([], [changed, 'signingCredential.untrusted']), true), 'tampered');
    const unknown = ['signingCredential.untrusted', 'claim.malformed'];
    assert.equal(classifyStore(storeWith([], unknown), true), 'unreadable');
  });

  it('is verified only if the library reports both a trusted signer and an intact signature', () => {
    const found = (...codes: string[]): ManifestStore => ({
      validation_state: 'Valid',
      validation_results: { activeManifest: { success: codes.map((code) => ({ code })) } },
    });
    const [trusted, intact] = ['signingCredential.trusted', 'claimSignature.validated'];
    assert.equal(classifyStore(found(trusted, intact), true), 'verified');
    for (const store of [found(trusted), found(intact), found()])
      assert.equal(classifyStore(store, true), 'untrusted');
  });

  it("is the library's overall state if there are no detailed results", () => {
    assert.equal(classifyStore({ validation_state: 'Valid' }, true), 'untrusted');
    assert.equal(classifyStore({ validation_state: 'Valid', validation_results: {} }, true), 'untrusted');
    assert.equal(classifyStore({ validation_state: 'Trusted' }, true), 'unreadable');
    assert.equal(classifyStore({}, true), 'unreadable');
  });
});

describe('the list of validation codes', () => {
  it('contains failures first (the image’s before those of its ingredients), then information, without repetition', () => {
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
