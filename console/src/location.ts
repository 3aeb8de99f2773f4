// Knows the current path and query, and changes them without reloading the page.
import { useLayoutEffect } from 'preact/hooks';
import { createStore } from './store.js';

/** Current path. */
export const path = createStore(window.location.pathname);
/** Current query with `?`, or an empty string. */
export const query = createStore(window.location.search);

const read = (): void => {
  query.set(() => window.location.search);
  path.set(() => window.location.pathname);
};

window.addEventListener('popstate', read);

/** Shows another page. `target` is a path with an optional query. */
export function goTo(target: string): void {
  if (target !== window.location.pathname + window.location.search)
    window.history.pushState(null, '', target);
  read();
  window.scrollTo(0, 0);
}

/** Replaces the address of the current page. The browser's back button then skips the old address. */
export function stayAt(target: string): void {
  window.history.replaceState(null, '', target);
  read();
}

/** Follows a link without reloading the console, unless the person opens it in a new tab. */
export function follow(event: MouseEvent): void {
  const link = event.currentTarget as HTMLAnchorElement;
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  goTo(link.pathname + link.search);
}

/** Reloads the page when a person opens another one-time link in its tab, which changes only the fragment. */
export function useNewLinks(): void {
  // A layout effect, so that a link opened right after the page appears is not lost.
  useLayoutEffect(() => {
    const reload = (): void => {
      if (window.location.hash !== '') window.location.reload();
    };
    window.addEventListener('hashchange', reload);
    return () => window.removeEventListener('hashchange', reload);
  }, []);
}
