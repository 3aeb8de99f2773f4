// Loads a list page by page.
import { useCallback, useState } from 'preact/hooks';
import { call, messageOf } from './api.js';
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
  readonly loadMore: (() => void) | null;
}

/** Loads the first page of `path`. Further pages are requested with the query parameter `cursorName`. */
export function usePages<T extends Page>(path: string, cursorName: 'before' | 'after'): LoadedPages<T> {
  const { data, error, reload } = useLoaded<T>(path);
  // Pages after the first. They are dropped when the first page is reloaded.
  const [laterPages, setLaterPages] = useState<{ first: T | null; pages: readonly T[] }>({
    first: null,
    pages: [],
  });
  const [fault, setFault] = useState('');
  const pages = data === null ? [] : [data, ...(laterPages.first === data ? laterPages.pages : [])];
  const next = pages.at(-1)?.next ?? null;
  const loadMore = useCallback(() => {
    setFault('');
    call<T>('GET', `${path}${path.includes('?') ? '&' : '?'}${cursorName}=${next}`).then(
      (page) => setLaterPages({ first: data, pages: [...pages.slice(1), page] }),
      (problem: unknown) => setFault(messageOf(problem)),
    );
  }, [path, next, data]);
  return { pages, error, fault, reload, loadMore: next === null ? null : loadMore };
}
