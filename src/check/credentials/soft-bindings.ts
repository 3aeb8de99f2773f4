// Soft bindings: what a manifest says can be found in the pixels again, a watermark or a fingerprint, by its algorithm.
import { assertionKind, type ManifestStore } from './manifest-store.js';

/** Source: C2PA specification 2.2, section 'Soft binding'. */
const SOFT_BINDING = 'c2pa.soft-binding';

/** The algorithms that the store's manifests name, in order, as written. */
export function readSoftBindings(store: ManifestStore): readonly string[] {
  return Object.values(store.manifests ?? {})
    .flatMap(({ assertions = [] }) => assertions)
    .filter(({ label }) => assertionKind(label) === SOFT_BINDING)
    .map(({ data }) => (data as { readonly alg?: unknown } | null | undefined)?.alg)
    .filter((alg): alg is string => typeof alg === 'string');
}
