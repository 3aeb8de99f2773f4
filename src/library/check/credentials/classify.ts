// Classifying C2PA validation status codes as verified, untrusted, tampered or unreadable.
import type { CredentialState } from '../types.js';
import type { ManifestStore, StatusCodes } from './manifest-store.js';

/** C2PA's code of an error without a code of its own, here a manifest store that can't be parsed. */
export const GENERAL_ERROR = 'general.error';
/** C2PA's code of a signer without a chain to a trust anchor. */
export const SIGNER_UNTRUSTED = 'signingCredential.untrusted';
/** C2PA's code of a signer with such a chain, by the library's reading. */
export const SIGNER_TRUSTED = 'signingCredential.trusted';

/** Pattern of failures about the signer and the time, which leave the signed content intact. */
const TRUST_FAILURES = /^(signingCredential|timeStamp|claimSignature\.outsideValidity)(\.|$)/;

/** Failures that only a change after signing can cause: content, assertions, ingredients or the claim. */
const TAMPER_FAILURES = new Set([
  'assertion.dataHash.mismatch',
  'assertion.bmffHash.mismatch',
  'assertion.boxesHash.mismatch',
  'assertion.boxesHash.unknownBox',
  'assertion.collectionHash.mismatch',
  'assertion.collectionHash.incorrectFileCount',
  'assertion.hashedURI.mismatch',
  'assertion.missing',
  'assertion.undeclared',
  'assertion.outsideManifest',
  'claimSignature.missing',
  'claimSignature.mismatch',
  'hashedURI.missing',
  'hashedURI.mismatch',
  'ingredient.hashedURI.mismatch',
  'ingredient.manifest.missing',
  'ingredient.manifest.mismatch',
  'ingredient.claimSignature.missing',
  'ingredient.claimSignature.mismatch',
]);

/** Returns whether a code casts doubt only on the signer. */
export function isTrustFailure(code: string): boolean {
  return TRUST_FAILURES.test(code);
}

/**
 * The library's note that it did not look for a revocation, which is never allowed here; it says nothing about the
 * file.
 */
const OCSP_SKIPPED = 'signingCredential.ocsp.skipped';

/** Returns the codes of a validated store without repetitions, failures first, then informational ones. */
export function collectCodes(store: ManifestStore): readonly string[] {
  const notes = codesOf(store, 'informational').filter((code) => code !== OCSP_SKIPPED);
  return [...new Set([...failureCodes(store), ...notes])];
}

/**
 * Classifies a store that the library could parse. `chained` says whether the signer's certificates lead to an anchor
 * by this project's own reading. A change after signing outweighs a malformed part, which outweighs an unknown signer.
 */
export function classifyStore(store: ManifestStore, chained: boolean): CredentialState {
  const failures = failureCodes(store);
  if (isOwnSignerTrusted(store) && failures.every(isTrustFailure)) return chained ? 'verified' : 'untrusted';
  if (failures.some((code) => TAMPER_FAILURES.has(code))) return 'tampered';
  if (failures.length > 0 && failures.every(isTrustFailure)) return 'untrusted';
  return store.validation_state === 'Valid' ? 'untrusted' : 'unreadable';
}

/**
 * Returns whether the library finds no failure in the active manifest and trusts its signer. A doubt about an
 * ingredient's signer concerns only that ingredient, whereas the state of the whole store would also fail the image's
 * own signer.
 */
function isOwnSignerTrusted({ validation_results }: ManifestStore): boolean {
  const { success = [], failure = [] } = validation_results?.activeManifest ?? {};
  const codes = success.map(({ code }) => code);
  return (
    failure.length === 0 && [SIGNER_TRUSTED, 'claimSignature.validated'].every((code) => codes.includes(code))
  );
}

/** Returns the codes of all failures without repetitions, the active manifest's first. */
function failureCodes(store: ManifestStore): readonly string[] {
  return [...new Set(codesOf(store, 'failure'))];
}

function codesOf(store: ManifestStore, outcome: keyof StatusCodes): readonly string[] {
  const { activeManifest, ingredientDeltas = [] } = store.validation_results ?? {};
  const groups = [activeManifest, ...ingredientDeltas.map(({ validationDeltas }) => validationDeltas)];
  return groups.flatMap((group) => (group?.[outcome] ?? []).map(({ code }) => code));
}
