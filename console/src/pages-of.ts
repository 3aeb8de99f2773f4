// A list that comes in pages: the first when it is shown, the next ones when they are asked for.
import { useCallback, useState } from 'preact/hooks';
import { call, explain } from './api.js';
import { useLoaded, type Loaded } from './load.js';

/** A page of a list. */
interface Page {
  readonly next: string | null;
}

/** What was loaded so far. */
export interface LoadedPages<T extends Page> {
  /** The pages in order; empty until the first is there. */
  readonly pages: readonly T[];
  readonly error: Loaded<T>['error'];
  /** Why the next page could not be had; empty where it could. */
  readonly fault: string;
  /** Begins anew with the first page. */
  readonly reload: () => void;
  /** Asks for the next page; null at the end. */
  readonly more: (() => void) | null;
}

/** GETs `path`, and its next pages by the query parameter `place`. */
export function usePages<T extends Page>(path: string, place: 'before' | 'after'): LoadedPages<T> {
  const { data, error, reload } = useLoaded<T>(path);
  // Later pages belong to the first page that they were asked for behind.
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
