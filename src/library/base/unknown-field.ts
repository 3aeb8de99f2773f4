// Messages about unknown fields, with the nearest known name, because most are mistyped.
import { closestMatch } from 'leven';

/**
 * Returns a message such as `'thread' is not known here; did you mean 'threads'? Known are threads, device`. `name`
 * may be a path.
 */
export function describeUnknown(name: string, known: readonly string[]): string {
  const near = findNearest(name.slice(name.lastIndexOf('.') + 1), known);
  const list = known.join(', ');
  return near === null
    ? `'${name}' is not known here; known are ${list}`
    : `'${name}' is not known here; did you mean '${near}'? Known are ${list}`;
}

/** Returns the one of `names` that differs from `name` by a typing error, or null. */
export function findNearest(name: string, names: readonly string[]): string | null {
  // Maximum distance. Chosen: one character in a short name, two in a long one; larger guesses are usually wrong.
  const maxDistance = name.length < 5 ? 1 : 2;
  const plain = names.map((known) => known.toLowerCase());
  const nearest = closestMatch(name.toLowerCase(), plain, { maxDistance });
  return nearest === undefined ? null : (names[plain.indexOf(nearest)] ?? null);
}
