// Reads claims about AI in signed manifests. Follows an image's ingredients, the images that it was made from.
import type { AiClaim } from '../types.js';
import { isTrustFailure, SIGNER_TRUSTED, SIGNER_UNTRUSTED } from './classify.js';
import {
  ingredientAddress,
  type Ingredient,
  type Manifest,
  type ManifestStore,
  type StatusCodes,
  type ValidationStatus,
} from './find-credentials.js';
import { GENERATOR_NAMES } from '../marks/rules.js';
import { readCreators, readSourceStatements, type SourceStatement } from './source-types.js';

/** Facts about AI in the manifests of a file. */
interface AiRecord {
  /** Strongest claim about AI, or null without one. */
  readonly claim: AiClaim | null;
  /** Software that the strongest claim names, or null. */
  readonly tool: string | null;
  /** Digital source types (kinds of origin) in the manifests read, as written, without repetitions. */
  readonly digitalSourceTypes: readonly string[];
  /** Generator that a manifest names as the image's creator without a digital source type, or null. */
  readonly generator: string | null;
}

/**
 * Pattern of a digital source type, as a name or an address in IPTC's vocabulary. Source:
 * https://cv.iptc.org/newscodes/digitalsourcetype/
 */
const TERM = /^(?:https?:\/\/cv\.iptc\.org\/newscodes\/digitalsourcetype\/|digsrctype:)?([a-z]+)\/*$/;

/** Actions that begin an image. Their digital source type applies to the whole image. */
const BEGINNINGS = new Set(['c2pa.created', 'c2pa.opened']);

/** Claims about AI, strongest first. */
const STRENGTH: readonly AiClaim[] = ['generated', 'edited', 'contains'];

const NO_FINDINGS: StatusCodes = {};

/** Failures that a program without a trust list records for each ingredient. c2pa 0.91 records both. */
const SIGNER_DOUBTS = new Set([SIGNER_UNTRUSTED, 'signingCredential.invalid']);

/** Pattern of codes for successes, and of codes that are informational in C2PA 2.x. */
const HARMLESS = /\.(validated|trusted|match|accessible)$|^timeStamp\./;

/** A manifest to read, and whether it describes only a part of the image. */
interface Visit {
  readonly label: string;
  readonly isPart: boolean;
}

/** Function that returns whether the signer of a manifest is trusted now. `label` identifies the manifest. */
type IsTrusted = (label: string) => boolean;

/**
 * Reads the active manifest and the manifests of its ingredients at all depths. Ignores an ingredient if
 * validation found a change in it, now or when it was added. With `isTrusted`, also ignores ingredients whose
 * signer is not trusted, so that every step of the record is verified. Without `isTrusted`, reports the
 * record as claimed.
 */
export function readAiRecord(store: ManifestStore, isTrusted: IsTrusted | null): AiRecord {
  const types = new Set<string>();
  let generator: string | null = null;
  let best: { claim: AiClaim; tool: string | null } | null = null;
  for (const { label, isPart } of reachableManifests(store, isTrusted)) {
    const manifest = store.manifests?.[label];
    if (manifest === undefined) continue;
    if (!isPart) generator ??= readCreators(manifest).find((name) => GENERATOR_NAMES.test(name)) ?? null;
    for (const { isPart: isPartHere, ...statement } of statementsOf(manifest, isPart)) {
      if (statement.type !== null) types.add(statement.type);
      const claim = isTrusted === null || statement.counts ? claimOf(statement, isPartHere) : null;
      if (claim !== null && (best === null || STRENGTH.indexOf(claim) < STRENGTH.indexOf(best.claim))) {
        best = { claim, tool: statement.tool ?? nameClaimGenerator(manifest) };
      }
    }
  }
  return { claim: best?.claim ?? null, tool: best?.tool ?? null, digitalSourceTypes: [...types], generator };
}

/** Returns the statements of a manifest about its own image, then about the image's ingredients. */
function statementsOf(
  manifest: Manifest,
  isPart: boolean,
): readonly (SourceStatement & Pick<Visit, 'isPart'>)[] {
  const ingredients = (manifest.ingredients ?? []).map(({ digital_source_type, relationship }) => ({
    type: digital_source_type ?? null,
    isPart: isPart || relationship !== 'parentOf',
  }));
  return [
    ...readSourceStatements(manifest).map((statement) => ({ ...statement, isPart })),
    ...ingredients
      .filter(({ type }) => type !== null)
      .map((ingredient) => ({ ...ingredient, action: null, tool: null, counts: true })),
  ];
}

/** Returns the name of the program that signed, without versions and libraries, or null. */
export function nameClaimGenerator(manifest: Manifest): string | null {
  const name = manifest.claim_generator_info?.find((info) => info.name)?.name;
  return name ?? (manifest.claim_generator?.split(/[/ ]/)[0] || null);
}

/**
 * Lists the manifests to read, breadth first. Each one occurs at most twice, for the whole image and for a
 * part, so that a hostile file with circular ingredients takes only linear time.
 */
function reachableManifests(store: ManifestStore, isTrusted: IsTrusted | null): readonly Visit[] {
  if (store.active_manifest === undefined) return [];
  const findings = collectFindings(store);
  const queue: Visit[] = [{ label: store.active_manifest, isPart: false }];
  const reached = new Map<string, Visit>();
  for (const visit of queue) {
    const { label, isPart } = visit;
    const key = `${isPart ? 'part' : 'whole'} ${label}`;
    if (reached.has(key)) continue;
    reached.set(key, visit);
    for (const ingredient of store.manifests?.[label]?.ingredients ?? []) {
      const inner = ingredient.active_manifest;
      const ingredientFindings = findings.get(ingredientAddress(label, ingredient)) ?? NO_FINDINGS;
      if (
        inner === undefined ||
        !isSound(ingredient, ingredientFindings, isTrusted && (() => isTrusted(inner)))
      )
        continue;
      queue.push({ label: inner, isPart: isPart || ingredient.relationship !== 'parentOf' });
    }
  }
  return [...reached.values()];
}

/**
 * Returns whether an ingredient is unchanged and, with `isTrusted`, from a trusted signer. A program without
 * a trust list records every ingredient as untrusted. Such a record is ignored if validation trusted the
 * ingredient, now or when it was first added, and `isTrusted` agrees. Every other failure counts.
 */
function isSound(ingredient: Ingredient, now: StatusCodes, isTrusted: (() => boolean) | null): boolean {
  const recorded = recordedFailures(ingredient);
  const current = codesOf(now.failure);
  if (isTrusted === null) return [...recorded, ...current].every(isTrustFailure);
  const accepted = [
    ...(now.success ?? []),
    ...(ingredient.validation_results?.activeManifest?.success ?? []),
  ];
  const trustedOnce = codesOf(accepted).includes(SIGNER_TRUSTED);
  const standing = [...recorded, ...current].filter((code) => !(trustedOnce && SIGNER_DOUBTS.has(code)));
  return standing.length === 0 && isTrusted();
}

/** Returns the status codes of this validation for all ingredients, by the address of the ingredient's assertion. */
function collectFindings(store: ManifestStore): ReadonlyMap<string, StatusCodes> {
  const findings = new Map<string, StatusCodes>();
  const manifests = Object.values(store.manifests ?? {});
  const recorded = manifests.flatMap(({ ingredients = [] }) =>
    ingredients.map((one) => one.validation_results),
  );
  for (const results of [store.validation_results, ...recorded]) {
    for (const { ingredientAssertionURI: address, validationDeltas: found } of results?.ingredientDeltas ??
      []) {
      const { success = [], failure = [] } = findings.get(address) ?? NO_FINDINGS;
      findings.set(address, {
        success: [...success, ...(found.success ?? [])],
        failure: [...failure, ...(found.failure ?? [])],
      });
    }
  }
  return findings;
}

/** Returns an ingredient's recorded failures, except codes that are informational in C2PA 2.x. */
function recordedFailures({ validation_results, validation_status }: Ingredient): readonly string[] {
  const flat = codesOf(validation_status).filter((code) => !HARMLESS.test(code));
  return [...codesOf(validation_results?.activeManifest?.failure), ...flat];
}

function codesOf(statuses: readonly ValidationStatus[] = []): readonly string[] {
  return statuses.map(({ code }) => code);
}

function claimOf({ type, action }: SourceStatement, isPart: boolean): AiClaim | null {
  // A statement without a source type names an AI system, which generated the image by IPTC's definition.
  const claim = type === null ? 'generated' : claimOfType(termOf(type), action);
  return claim !== null && isPart ? 'contains' : claim;
}

function termOf(type: string): string {
  return TERM.exec(type.trim().toLowerCase())?.[1] ?? '';
}

function claimOfType(term: string, action: string | null): AiClaim | null {
  switch (term) {
    case 'trainedalgorithmicmedia':
      if (action === 'c2pa.placed') return 'contains';
      return action === null || BEGINNINGS.has(action) ? 'generated' : 'edited';
    case 'compositewithtrainedalgorithmicmedia':
      return 'edited';
    case 'compositesynthetic':
      return 'contains';
    default:
      return null;
  }
}
