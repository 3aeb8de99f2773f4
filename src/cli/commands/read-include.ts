// Options that take several names, such as --include, which may be given more than once.
import { DETAIL_NAMES, type DetailName } from '../../check/types.js';
import { readChoice } from './command.js';

/** The names of all `lists`, each separated by commas. Throws UsageError for one that is no detail. */
export function readInclude(lists: readonly string[]): DetailName[] {
  return readNames('--include', lists, DETAIL_NAMES);
}

/** The names of all `lists` of `option`, each separated by commas. Throws UsageError for one that is not in `known`. */
export function readNames<T extends string>(
  option: string,
  lists: readonly string[],
  known: readonly T[],
): T[] {
  const names = lists.flatMap((list) => list.split(',')).map((name) => name.trim());
  return names.filter((name) => name !== '').map((name) => readChoice(option, name, known));
}

/** Names for a help text: lines of at most 80 characters, the second and later ones indented. */
export function listNames(names: readonly string[], indent: number): string {
  const lines = [''];
  for (const name of names) {
    const line = lines.at(-1) ?? '';
    const longer = line === '' ? name : `${line}, ${name}`;
    if (indent + longer.length < 80) lines[lines.length - 1] = longer;
    else lines.push(name);
  }
  return lines.join(`,\n${' '.repeat(indent)}`);
}
