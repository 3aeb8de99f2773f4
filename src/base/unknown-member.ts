// What is said of a member that nobody reads: it was mistyped more often than meant, so the nearest known name stands beside it.

/** Such as `'thread' is not known here; did you mean 'threads'? Known are threads, device`. `name` may be a whole path. */
export function complainOfMember(name: string, known: readonly string[]): string {
  const near = findNearest(name.slice(name.lastIndexOf('.') + 1), known);
  const list = known.join(', ');
  return near === null
    ? `'${name}' is not known here; known are ${list}`
    : `'${name}' is not known here; did you mean '${near}'? Known are ${list}`;
}

/** The one of `names` that a slip of the keyboard makes `name` of; null if none is so near. */
export function findNearest(name: string, names: readonly string[]): string | null {
  // Chosen: a slip in a short name, two in a long one. Beyond that the guess would be wrong more often than right.
  const most = name.length < 6 ? 1 : 2;
  const [nearest] = names
    .map((known) => ({ known, slips: countSlips(name.toLowerCase(), known.toLowerCase(), most) }))
    .filter(({ slips }) => slips <= most)
    .sort((one, other) => one.slips - other.slips);
  return nearest?.known ?? null;
}

/**
 * Letters put in, left out, changed or swapped with their neighbours between two words: the distance of Damerau in its
 * restricted form. Infinity at once if their lengths differ by more than `most`, because one may be as long as a body.
 */
function countSlips(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return Infinity;
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= one.length; row += 1) {
    rows.push([row]);
    for (let column = 1; column <= other.length; column += 1) {
      const changed = one[row - 1] === other[column - 1] ? 0 : 1;
      const isSwapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      rows[row]?.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + changed,
          isSwapped ? at(row - 2, column - 2) + 1 : Infinity,
        ),
      );
    }
  }
  return at(one.length, other.length);
}
