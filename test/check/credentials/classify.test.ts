// From validation results to a state: whose fault sinks what.
import assert from 'node:assert/strict';
import { classifyStore } from '../../../src/check/credentials/classify.js';
import type { ManifestStore } from '../../../src/check/credentials/manifest-store.js';

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
  it("does not hold an ingredient's unknown signer against the picture's own", () => {
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
});
