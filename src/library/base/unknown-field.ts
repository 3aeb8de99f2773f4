// The message about an unknown field: most are mistyped, so it gives the nearest known name.
import { closestMatch } from 'leven';

/** Such as `'thread' is not known here; did you mean 'threads'? Known are threads, device`. `name` may be a whole path. */
export function describeUnknown(name: string, known: readonly string[]): string {
  const near = findNearest(name.slice(name.lastIndexOf('.') + 1), known);
  const list = known.join(', ');
  return near === null
    ? `'${name}' is not known here; known are ${list}`
    : `'${name}' is not known here; did you mean '${near}'? Known are ${list}`;
}

/** The one of `names` that a slip of the keyboard makes `name` of; null if none is so near. */
export function findNearest(name: string, names: readonly string[]): string | null {
  // Chosen: a slip in a short name, two in a long one. Beyond that the guess would be wrong more often than right.
  const maxDistance = name.length < 5 ? 1 : 2;
  const plain = names.map((known) => known.toLowerCase());
  const nearest = closestMatch(name.toLowerCase(), plain, { maxDistance });
  return nearest === undefined ? null : (names[plain.indexOf(nearest)] ?? null);
}
