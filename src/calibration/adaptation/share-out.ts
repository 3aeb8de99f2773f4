// Bounds what one source may teach everybody.

/** Chosen: an hour's work of two cores; a sample of so many tells as much as all. */
export const MOST_PICTURES = 20_000;

/**
 * Shares `most` places out among sources in turns, each giving its pictures in their order. If what they teach is for
 * others, too (`isShared`), none has more than all others together. `surplus` are the pictures that got no place.
 */
export function shareOut<T extends { readonly source: string }>(
  pictures: readonly T[],
  { isShared, most = MOST_PICTURES }: { readonly isShared: boolean; readonly most?: number },
): { readonly taken: readonly T[]; readonly surplus: readonly T[] } {
  const bySource = new Map<string, T[]>();
  for (const picture of pictures) {
    const of = bySource.get(picture.source);
    if (of) of.push(picture);
    else bySource.set(picture.source, [picture]);
  }
  const largest = Math.max(...[...bySource.values()].map((of) => of.length));
  const bound = isShared ? Math.min(largest, pictures.length - largest) : largest;
  const taken = new Set<T>();
  for (let turn = 0; turn < bound && taken.size < most; turn += 1)
    for (const of of bySource.values()) {
      const picture = of[turn];
      if (picture !== undefined && taken.size < most) taken.add(picture);
    }
  return {
    taken: pictures.filter((picture) => taken.has(picture)),
    surplus: pictures.filter((picture) => !taken.has(picture)),
  };
}
