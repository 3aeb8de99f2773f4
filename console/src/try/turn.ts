// Chooses the image to check next.

/** Returns the waiting image with the lowest identifier, which is the oldest; undefined if none is waiting. */
export function firstWaiting<T extends { readonly id: number; readonly state: { readonly kind: string } }>(
  list: readonly T[],
): T | undefined {
  return list
    .filter(({ state }) => state.kind === 'waiting')
    .reduce<T | undefined>((first, item) => (first && first.id < item.id ? first : item), undefined);
}
