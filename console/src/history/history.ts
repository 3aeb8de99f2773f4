// The history as it is loaded: page by page as far as the reader goes, and all of it for a file.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { CheckPage, ShownCheck } from '../../../src/service/console/shapes.js';
import { ApiError, call } from '../api.js';
import { askFor, type Filter } from './filter.js';

/** What was loaded so far. */
export interface History {
  /** Null until the first page is there. */
  readonly checks: readonly ShownCheck[] | null;
  readonly error: ApiError | null;
  readonly isLoading: boolean;
  /** Asks for what is older; null at the end. */
  readonly more: (() => void) | null;
  /** Shows a check as it is now. */
  readonly replace: (check: ShownCheck) => void;
  /** Shows it no more. */
  readonly remove: (id: string) => void;
}

/** The checks that `filter` is about, in its order; loaded anew whenever `round` is another. */
export function useHistory(filter: Filter, round = 0): History {
  const [checks, setChecks] = useState<readonly ShownCheck[] | null>(null);
  const [next, setNext] = useState<string | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [isLoading, setLoading] = useState(false);
  // Counts the requests: an answer that comes after a newer request says nothing any more.
  const turn = useRef(0);
  const load = async (before: string): Promise<void> => {
    turn.current += 1;
    const mine = turn.current;
    const isCurrent = (): boolean => mine === turn.current;
    setLoading(true);
    try {
      const page = await call<CheckPage>('GET', `/checks?${askFor(filter, { before })}`);
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
    more: next === null || isLoading ? null : () => void load(next),
    replace: (check) => setChecks((shown) => (shown ?? []).map((one) => (one.id === check.id ? check : one))),
    remove: (id) => setChecks((shown) => (shown ?? []).filter((one) => one.id !== id)),
  };
}

/** Checks of one answer, at most; the service gives no more. */
const MOST_AT_ONCE = '500';

/** Every check that `filter` is about, in its order. Rejects with ApiError. */
export async function loadAll(filter: Filter): Promise<ShownCheck[]> {
  const all: ShownCheck[] = [];
  for (let before: string | null = ''; before !== null;) {
    const page: CheckPage = await call('GET', `/checks?${askFor(filter, { before, limit: MOST_AT_ONCE })}`);
    all.push(...page.checks);
    before = page.next;
  }
  return all;
}
