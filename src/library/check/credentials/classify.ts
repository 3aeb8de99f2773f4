// From C2PA validation status codes to a state: verified, untrusted, tampered or unreadable.
import type { CredentialState } from '../types.js';
import type { ManifestStore, StatusCodes } from './manifest-store.js';

/** C2PA's code for a fault without one of its own: here, a manifest store that can't be parsed. */
export const GENERAL_ERROR = 'general.error';
/** C2PA's code for a signer without a chain to a trust anchor. */
export const SIGNER_UNTRUSTED = 'signingCredential.untrusted';
/** C2PA's code for one with such a chain, by the library's reading. */
export const SIGNER_TRUSTED = 'signingCredential.trusted';

/** Failures that speak of who signed and when, and leave what was signed intact. */
const TRUST_FAILURES = /^(signingCredential|timeStamp|claimSignature\.outsideValidity)(\.|$)/;

/** Failures that can only come about by a change after signing: content, assertions, ingredients or the claim itself. */
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

/** True for a code that casts doubt on the signer alone. */
export function isTrustFailure(code: string): boolean {
  return TRUST_FAILURES.test(code);
}

/** The library's note that it did not look for a revocation, which is never allowed here; says nothing of the file. */
const OCSP_SKIPPED = 'signingCredential.ocsp.skipped';

/** Codes of a validated store, failures first, then informational ones; each once. */
export function collectCodes(store: ManifestStore): readonly string[] {
  const notes = codesOf(store, 'informational').filter((code) => code !== OCSP_SKIPPED);
  return [...new Set([...failureCodes(store), ...notes])];
}

/**
 * Judges a store that the library could parse. `chained` says whether the signer's certificates lead to an anchor
 * of the trust list by our own reading of the chain. A change after signing outweighs a malformed part, and that an
 * unknown signer.
 */
export function classifyStore(store: ManifestStore, chained: boolean): CredentialState {
  const failures = failureCodes(store);
  if (isOwnSignerTrusted(store) && failures.every(isTrustFailure)) return chained ? 'verified' : 'untrusted';
  if (failures.some((code) => TAMPER_FAILURES.has(code))) return 'tampered';
  if (failures.length > 0 && failures.every(isTrustFailure)) return 'untrusted';
  return store.validation_state === 'Valid' ? 'untrusted' : 'unreadable';
}

/**
 * Whether the library finds no fault in the active manifest and trusts who signed it. A doubt about who signed an
 * ingredient is that ingredient's alone: the state of the whole store would sink the image's own signer with it.
 */
function isOwnSignerTrusted({ validation_results }: ManifestStore): boolean {
  const { success = [], failure = [] } = validation_results?.activeManifest ?? {};
  const codes = success.map(({ code }) => code);
  return (
    failure.length === 0 && [SIGNER_TRUSTED, 'claimSignature.validated'].every((code) => codes.includes(code))
  );
}

/** Codes of all failures, of the active manifest first, each once. */
function failureCodes(store: ManifestStore): readonly string[] {
  return [...new Set(codesOf(store, 'failure'))];
}

function codesOf(store: ManifestStore, outcome: keyof StatusCodes): readonly string[] {
  const { activeManifest, ingredientDeltas = [] } = store.validation_results ?? {};
  const groups = [activeManifest, ...ingredientDeltas.map(({ validationDeltas }) => validationDeltas)];
  return groups.flatMap((group) => (group?.[outcome] ?? []).map(({ code }) => code));
}
