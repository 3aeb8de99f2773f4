// Loads the history page by page, or completely to save it as a file.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { CheckPage, ShownCheck } from '../../../src/service/console/shapes.js';
import { ApiError, call } from '../api.js';
import { queryOfFilter, type Filter } from './filter.js';

/** The part of the history that has been loaded, and functions to change it. */
export interface History {
  /** Checks loaded so far; null until the first page has arrived. */
  readonly checks: readonly ShownCheck[] | null;
  readonly error: ApiError | null;
  readonly isLoading: boolean;
  /** Loads older checks; null if all are loaded. */
  readonly loadMore: (() => void) | null;
  /** Replaces a check in the list, after a change. */
  readonly replace: (check: ShownCheck) => void;
  /** Removes a check from the list. */
  readonly remove: (id: string) => void;
}

/** Loads the checks that match `filter`. Loads them again when `round` changes. */
export function useHistory(filter: Filter, round = 0): History {
  const [checks, setChecks] = useState<readonly ShownCheck[] | null>(null);
  const [next, setNext] = useState<string | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [isLoading, setLoading] = useState(false);
  // Number of the latest request. Responses to earlier requests are ignored.
  const loadNumber = useRef(0);
  const load = async (before: string): Promise<void> => {
    loadNumber.current += 1;
    const thisLoad = loadNumber.current;
    const isCurrent = (): boolean => thisLoad === loadNumber.current;
    setLoading(true);
    try {
      const page = await call<CheckPage>('GET', `/checks?${queryOfFilter(filter, { before })}`);
      if (!isCurrent()) return;
      setChecks((shown) => [...(before === '' ? [] : (shown ?? [])), ...page.checks]);
      setNext(page.next);
      setError(null);
    } catch (fault) {
      if (isCurrent() && fault instanceof ApiError) setError(fault);
    } finally {
      if (isCurrent()) setLoading(false);
    }
  };
  useEffect(() => void load(''), [JSON.stringify(filter), round]);
  return {
    checks,
    error,
    isLoading,
    loadMore: next === null || isLoading ? null : () => void load(next),
    replace: (check) =>
      setChecks((shown) => shown && shown.map((one) => (one.id === check.id ? check : one))),
    remove: (id) => setChecks((shown) => shown && shown.filter((one) => one.id !== id)),
  };
}

/** Maximum number of checks in one response of the service. */
const MAX_PAGE_SIZE = '500';

/** Loads all checks that match `filter`. Rejects with ApiError. */
export async function loadAll(filter: Filter): Promise<ShownCheck[]> {
  const all: ShownCheck[] = [];
  for (let before: string | null = ''; before !== null;) {
    const page: CheckPage = await call(
      'GET',
      `/checks?${queryOfFilter(filter, { before, limit: MAX_PAGE_SIZE })}`,
    );
    all.push(...page.checks);
    before = page.next;
  }
  return all;
}
