// Loads a list page by page.
import { useCallback, useState } from 'preact/hooks';
import { call, explain } from './api.js';
import { useLoaded, type Loaded } from './load.js';

/** A page of a list. */
interface Page {
  readonly next: string | null;
}

/** The pages of a list loaded so far. */
export interface LoadedPages<T extends Page> {
  /** Pages in order; empty until the first page has arrived. */
  readonly pages: readonly T[];
  readonly error: Loaded<T>['error'];
  /** Error message of the last request for a further page; empty if it succeeded. */
  readonly fault: string;
  /** Loads the list again from the first page. */
  readonly reload: () => void;
  /** Loads the next page; null if all pages are loaded. */
  readonly more: (() => void) | null;
}

/** Loads the first page of `path`. Further pages are requested with the query parameter `place`. */
export function usePages<T extends Page>(path: string, place: 'before' | 'after'): LoadedPages<T> {
  const { data, error, reload } = useLoaded<T>(path);
  // Pages after the first. They are dropped when the first page is reloaded.
  const [later, setLater] = useState<{ first: T | null; pages: readonly T[] }>({ first: null, pages: [] });
  const [fault, setFault] = useState('');
  const pages = data === null ? [] : [data, ...(later.first === data ? later.pages : [])];
  const next = pages.at(-1)?.next ?? null;
  const more = useCallback(() => {
    setFault('');
    call<T>('GET', `${path}${path.includes('?') ? '&' : '?'}${place}=${next}`).then(
      (page) => setLater({ first: data, pages: [...pages.slice(1), page] }),
      (problem: unknown) => setFault(explain(problem)),
    );
  }, [path, next, data]);
  return { pages, error, fault, reload, more: next === null ? null : more };
}
