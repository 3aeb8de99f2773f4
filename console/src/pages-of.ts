// Loading a list page by page.
import { useCallback, useState } from 'preact/hooks';
import { call, explain } from './api.js';
import { useLoaded, type Loaded } from './load.js';

/** A page of a list. */
interface Page {
  readonly next: string | null;
}

/** State of the loaded pages. */
export interface LoadedPages<T extends Page> {
  /** Pages in order; empty until the first has arrived. */
  readonly pages: readonly T[];
  readonly error: Loaded<T>['error'];
  /** Error of the last request for a further page, or an empty string. */
  readonly fault: string;
  /** Starts again with the first page. */
  readonly reload: () => void;
  /** Function that loads the next page; null at the end. */
  readonly more: (() => void) | null;
}

/** Loads `path`, and further pages by the query parameter `place`. */
export function usePages<T extends Page>(path: string, place: 'before' | 'after'): LoadedPages<T> {
  const { data, error, reload } = useLoaded<T>(path);
  // Further pages, valid only with the first page they were loaded after.
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
