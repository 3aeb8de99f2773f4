// Messages about unknown fields. Most are mistyped, so the nearest known name is suggested.
import { closestMatch } from 'leven';

/**
 * Returns a message such as `'thread' is not known here; did you mean 'threads'? Known are threads, device`.
 * `name` may be a path.
 */
export function describeUnknown(name: string, known: readonly string[]): string {
  const near = findNearest(name.slice(name.lastIndexOf('.') + 1), known);
  const list = known.join(', ');
  return near === null
    ? `'${name}' is not known here; known are ${list}`
    : `'${name}' is not known here; did you mean '${near}'? Known are ${list}`;
}

/** Returns the name from `names` that `name` probably mistypes, or null. */
export function findNearest(name: string, names: readonly string[]): string | null {
  // Maximum wrong characters: 1 in short names and 2 in long ones, because larger guesses are usually wrong.
  const maxDistance = name.length < 5 ? 1 : 2;
  const plain = names.map((known) => known.toLowerCase());
  const nearest = closestMatch(name.toLowerCase(), plain, { maxDistance });
  return nearest === undefined ? null : (names[plain.indexOf(nearest)] ?? null);
}
