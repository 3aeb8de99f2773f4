// Which image of the list is checked next.

/** Of the images that wait, the one that came first: identifiers rise; undefined if none waits. */
export function firstWaiting<T extends { readonly id: number; readonly state: { readonly kind: string } }>(
  list: readonly T[],
): T | undefined {
  return list
    .filter(({ state }) => state.kind === 'waiting')
    .reduce<T | undefined>((first, item) => (first && first.id < item.id ? first : item), undefined);
}
