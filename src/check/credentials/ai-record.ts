// What a manifest store records about AI: the strongest claim, the tool behind it, and all source types, through ingredients.
import type { AiClaim } from '../types.js';
import { isTrustFailure } from './judge.js';
import { ingredientAddress, type Ingredient, type Manifest, type ManifestStore } from './manifest-store.js';
import { readSourceStatements, type SourceStatement } from './source-types.js';

/** What was recorded. */
export interface AiRecord {
  /** Strongest claim; null where no AI is recorded. */
  readonly claim: AiClaim | null;
  /** Software behind the strongest claim; null where nothing is named. */
  readonly tool: string | null;
  /** Every digital source type of the manifests that count, as written, each once. */
  readonly digitalSourceTypes: readonly string[];
}

/** IPTC's vocabulary. Source: https://cv.iptc.org/newscodes/digitalsourcetype/ */
const VOCABULARY = /^https?:\/\/cv\.iptc\.org\/newscodes\/digitalsourcetype\//;

/** Actions by which a picture begins, so that their source type is that of the whole picture. */
const BEGINNINGS = new Set(['c2pa.created', 'c2pa.opened']);

/** Strongest first. */
const STRENGTH: readonly AiClaim[] = ['generated', 'edited', 'contains'];

/** A manifest on the way down, and whether it is only a part of the picture there. */
interface Visit {
  readonly label: string;
  readonly isPart: boolean;
}

/**
 * Reads the active manifest and every ingredient's manifest that leads to it. An ingredient's manifest counts unless
 * validation, now or when it was taken in, found a fault in it; `tolerateUntrusted` lets faults pass that only say
 * who signed. So a verified record is verified all the way down, and an unverified one is reported as it claims.
 */
export function readAiRecord(
  store: ManifestStore,
  options: { readonly tolerateUntrusted: boolean },
): AiRecord {
  const types = new Set<string>();
  let best: { claim: AiClaim; tool: string | null } | null = null;
  for (const { label, isPart } of reachableManifests(store, options)) {
    const manifest = store.manifests?.[label];
    if (manifest === undefined) continue;
    for (const statement of readSourceStatements(manifest)) {
      types.add(statement.type);
      const claim = claimOf(statement, isPart);
      if (claim !== null && (best === null || STRENGTH.indexOf(claim) < STRENGTH.indexOf(best.claim))) {
        best = { claim, tool: statement.tool ?? nameClaimGenerator(manifest) };
      }
    }
  }
  return { claim: best?.claim ?? null, tool: best?.tool ?? null, digitalSourceTypes: [...types] };
}

/** The program that signed: its name without version or library tokens; null where none is given. */
export function nameClaimGenerator(manifest: Manifest): string | null {
  const name = manifest.claim_generator_info?.find((info) => info.name)?.name;
  return name ?? (manifest.claim_generator?.split(/[/ ]/)[0] || null);
}

/** Breadth first, each manifest once as the picture itself and once as a part of it: a hostile graph stays linear. */
function reachableManifests(
  store: ManifestStore,
  { tolerateUntrusted }: { readonly tolerateUntrusted: boolean },
): readonly Visit[] {
  if (store.active_manifest === undefined) return [];
  const faults = collectIngredientFaults(store);
  const queue: Visit[] = [{ label: store.active_manifest, isPart: false }];
  const reached = new Map<string, Visit>();
  for (const visit of queue) {
    const { label, isPart } = visit;
    const key = `${isPart ? 'part' : 'whole'} ${label}`;
    if (reached.has(key)) continue;
    reached.set(key, visit);
    for (const ingredient of store.manifests?.[label]?.ingredients ?? []) {
      const codes = faults.get(ingredientAddress(label, ingredient)) ?? [];
      const sound = tolerateUntrusted ? codes.every(isTrustFailure) : codes.length === 0;
      if (ingredient.active_manifest === undefined || !sound) continue;
      queue.push({
        label: ingredient.active_manifest,
        isPart: isPart || ingredient.relationship !== 'parentOf',
      });
    }
  }
  return [...reached.values()];
}

/** Failure codes by ingredient assertion: those found now, and those recorded when the ingredient was taken in. */
function collectIngredientFaults(store: ManifestStore): ReadonlyMap<string, readonly string[]> {
  const faults = new Map<string, string[]>();
  const add = (address: string, codes: readonly string[]): void => {
    faults.set(address, [...(faults.get(address) ?? []), ...codes]);
  };
  const addDeltas = (results: ManifestStore['validation_results']): void => {
    for (const { ingredientAssertionURI, validationDeltas } of results?.ingredientDeltas ?? []) {
      add(
        ingredientAssertionURI,
        (validationDeltas.failure ?? []).map(({ code }) => code),
      );
    }
  };
  addDeltas(store.validation_results);
  for (const [label, manifest] of Object.entries(store.manifests ?? {})) {
    for (const ingredient of manifest.ingredients ?? []) {
      addDeltas(ingredient.validation_results);
      add(ingredientAddress(label, ingredient), recordedFailures(ingredient));
    }
  }
  return faults;
}

/** C2PA 1.x listed faults only, among them time-stamp findings that 2.x counts as informational. */
function recordedFailures({ validation_results, validation_status = [] }: Ingredient): readonly string[] {
  const flat = validation_status.filter(
    ({ code }) => !/\.(validated|trusted|match|accessible)$|^timeStamp\./.test(code),
  );
  return [...(validation_results?.activeManifest?.failure ?? []), ...flat].map(({ code }) => code);
}

function claimOf({ type, action }: SourceStatement, isPart: boolean): AiClaim | null {
  const claim = claimOfType(type.replace(VOCABULARY, ''), action);
  return claim !== null && isPart ? 'contains' : claim;
}

function claimOfType(term: string, action: string | null): AiClaim | null {
  switch (term) {
    case 'trainedAlgorithmicMedia':
      if (action === 'c2pa.placed') return 'contains';
      return action === null || BEGINNINGS.has(action) ? 'generated' : 'edited';
    case 'compositeWithTrainedAlgorithmicMedia':
      return 'edited';
    case 'compositeSynthetic':
      return 'contains';
    default:
      return null;
  }
}
