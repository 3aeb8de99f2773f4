// Classifying the result of validating a manifest as verified, untrusted, tampered or unreadable.
import type { CredentialState } from '../types.js';
import type { ManifestStore, StatusCodes } from './find-credentials.js';

/** C2PA's code for errors without their own code, such as a manifest store that can't be parsed. */
export const GENERAL_ERROR = 'general.error';
/** C2PA's code for a signer whose certificates lead to no trusted certificate (trust anchor). */
export const SIGNER_UNTRUSTED = 'signingCredential.untrusted';
/** C2PA's code for a signer whose certificates lead to a trusted certificate, according to the library. */
export const SIGNER_TRUSTED = 'signingCredential.trusted';

/** Pattern of failures that concern only the signer or the time, so that the signed content is intact. */
const TRUST_FAILURES = /^(signingCredential|timeStamp|claimSignature\.outsideValidity)(\.|$)/;

/** Failures that only a change of content, assertions, ingredients or claim after signing can cause. */
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

/** Returns whether a validation code casts doubt only on the signer and not on the content. */
export function isTrustFailure(code: string): boolean {
  return TRUST_FAILURES.test(code);
}

/**
 * The library's note that it did not ask for revoked certificates, because it has no network here. The note
 * says nothing about the file.
 */
const OCSP_SKIPPED = 'signingCredential.ocsp.skipped';

/** Returns all validation codes without repetitions: failures, then informational codes. */
export function collectCodes(store: ManifestStore): readonly string[] {
  const notes = codesOf(store, 'informational').filter((code) => code !== OCSP_SKIPPED);
  return [...new Set([...failureCodes(store), ...notes])];
}

/**
 * Classifies a manifest store that the library could parse. `chained` is true if the project's own check
 * found that the signer's certificates lead to a trusted one. A change after signing takes precedence over a
 * malformed part, and a malformed part over an unknown signer.
 */
export function classifyStore(store: ManifestStore, chained: boolean): CredentialState {
  const failures = failureCodes(store);
  if (isOwnSignerTrusted(store) && failures.every(isTrustFailure)) return chained ? 'verified' : 'untrusted';
  if (failures.some((code) => TAMPER_FAILURES.has(code))) return 'tampered';
  if (failures.length > 0 && failures.every(isTrustFailure)) return 'untrusted';
  return store.validation_state === 'Valid' ? 'untrusted' : 'unreadable';
}

/**
 * Returns whether the library found no failure in the active manifest and trusts its signer. The state of the
 * whole store is unsuitable, because doubts about an ingredient's signer would count against the image's own
 * signer.
 */
function isOwnSignerTrusted({ validation_results }: ManifestStore): boolean {
  const { success = [], failure = [] } = validation_results?.activeManifest ?? {};
  const codes = success.map(({ code }) => code);
  return (
    failure.length === 0 && [SIGNER_TRUSTED, 'claimSignature.validated'].every((code) => codes.includes(code))
  );
}

/** Returns the codes of all failures without repetitions, starting with the active manifest. */
function failureCodes(store: ManifestStore): readonly string[] {
  return [...new Set(codesOf(store, 'failure'))];
}

function codesOf(store: ManifestStore, outcome: keyof StatusCodes): readonly string[] {
  const { activeManifest, ingredientDeltas = [] } = store.validation_results ?? {};
  const groups = [activeManifest, ...ingredientDeltas.map(({ validationDeltas }) => validationDeltas)];
  return groups.flatMap((group) => (group?.[outcome] ?? []).map(({ code }) => code));
}
