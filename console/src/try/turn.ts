// Choosing the image to check next.

/** Returns the earliest waiting image, because identifiers increase, or undefined if no image waits. */
export function firstWaiting<T extends { readonly id: number; readonly state: { readonly kind: string } }>(
  list: readonly T[],
): T | undefined {
  return list
    .filter(({ state }) => state.kind === 'waiting')
    .reduce<T | undefined>((first, item) => (first && first.id < item.id ? first : item), undefined);
}
