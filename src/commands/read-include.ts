// The option --include, which may be given more than once.
import { DETAIL_NAMES, type DetailName } from '../check/types.js';
import { readChoice } from './command.js';

/** The names of all `lists`, each separated by commas. Throws UsageError for one that is no detail. */
export function readInclude(lists: readonly string[]): DetailName[] {
  const names = lists.flatMap((list) => list.split(',')).map((name) => name.trim());
  return names.filter((name) => name !== '').map((name) => readChoice('--include', name, DETAIL_NAMES));
}
