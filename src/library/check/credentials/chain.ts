// Reading the actions and ingredients that the manifests of a file record.
import { quoteName } from '../verdict/quoted-name.js';
import { nameClaimGenerator } from './ai-record.js';
import { assertionKind, type Manifest, type ManifestStore } from './find-credentials.js';
import type { ManifestStep, RecordedAction } from './steps.js';

/** Maximum manifests, and maximum actions and ingredients of each. Public files have at most eleven manifests. */
const MAX_ENTRIES = 16;
/** Maximum characters of labels and addresses. */
const MAX_CHARACTERS = 128;

const ACTIONS = new Set(['c2pa.actions', 'c2pa.actions.v2']);

/** Returns what each manifest records, the active manifest first, then its ingredients' manifests, breadth first. */
export function readChain(
  store: ManifestStore,
  signerOf: (label: string) => { readonly name: string | null },
): readonly ManifestStep[] {
  const labels = new Set(store.active_manifest === undefined ? [] : [store.active_manifest]);
  // A set keeps the order of insertion, and its iterator visits labels that are added meanwhile.
  for (const label of labels)
    for (const { active_manifest: inner } of store.manifests?.[label]?.ingredients ?? [])
      if (inner !== undefined && labels.size < MAX_ENTRIES) labels.add(inner);
  return [...labels].flatMap((label) => {
    const manifest = store.manifests?.[label];
    if (manifest === undefined) return [];
    return [
      {
        label: quoteName(label, MAX_CHARACTERS),
        signer: nameOf(signerOf(label).name),
        claimGenerator: nameOf(nameClaimGenerator(manifest)),
        actions: readActions(manifest),
        ingredients: (manifest.ingredients ?? []).slice(0, MAX_ENTRIES).map((ingredient) => ({
          title: nameOf(ingredient.title),
          relationship: nameOf(ingredient.relationship),
          manifest: nameOf(ingredient.active_manifest, MAX_CHARACTERS),
        })),
      },
    ];
  });
}

function readActions({ assertions = [] }: Manifest): readonly RecordedAction[] {
  return assertions
    .filter(({ label }) => ACTIONS.has(assertionKind(label)))
    .flatMap(({ data }) => {
      const { actions } = (data ?? {}) as { readonly actions?: unknown };
      return Array.isArray(actions) ? (actions as unknown[]) : [];
    })
    .slice(0, MAX_ENTRIES)
    .flatMap((entry) => {
      const { action, when, softwareAgent, digitalSourceType } = (entry ?? {}) as Record<string, unknown>;
      const name = nameOf(action, MAX_CHARACTERS);
      if (name === null) return [];
      const agent = (softwareAgent as { readonly name?: unknown } | null | undefined)?.name ?? softwareAgent;
      return [
        {
          action: name,
          when: nameOf(when),
          software: nameOf(agent),
          digitalSourceType: nameOf(digitalSourceType, MAX_CHARACTERS),
        },
      ];
    });
}

/** Returns a text of the file in one short line; null for other values and empty texts. */
function nameOf(text: unknown, maxCharacters?: number): string | null {
  return (typeof text === 'string' && quoteName(text, maxCharacters)) || null;
}
