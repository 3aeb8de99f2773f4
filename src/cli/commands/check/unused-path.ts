// Names of result files, so that none overwrites another, or a picture that is checked.
import { resolve } from 'node:path';

/** `base` and `ending`, with a number between if that is `taken`; takes it. */
export function unusedPath(base: string, ending: string, taken: Set<string>): string {
  let path = `${base}${ending}`;
  for (let number = 2; taken.has(resolve(path)); number += 1) path = `${base}-${number}${ending}`;
  taken.add(resolve(path));
  return path;
}
