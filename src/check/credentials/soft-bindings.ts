// Soft bindings: what a manifest says can be found in the pixels again, a watermark or a fingerprint, by its algorithm.
import { quoteName } from '../verdict/quoted-name.js';
import { assertionKind, type ManifestStore } from './manifest-store.js';

/** Source: C2PA specification 2.2, section 'Soft binding'. */
const SOFT_BINDING = 'c2pa.soft-binding';
/** Algorithms that are told. Chosen: a picture has one or two. */
const MOST_ALGORITHMS = 16;

/** The algorithms that the store's manifests name, each once, at most 16, each of at most 64 characters. */
export function readSoftBindings(store: ManifestStore): readonly string[] {
  const algorithms = Object.values(store.manifests ?? {})
    .flatMap(({ assertions = [] }) => assertions)
    .filter(({ label }) => assertionKind(label) === SOFT_BINDING)
    .map(({ data }) => (data as { readonly alg?: unknown } | null | undefined)?.alg)
    .filter((alg): alg is string => typeof alg === 'string')
    .map((alg) => quoteName(alg))
    .filter((name) => name !== '');
  return [...new Set(algorithms)].slice(0, MOST_ALGORITHMS);
}
