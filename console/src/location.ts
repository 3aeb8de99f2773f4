// The current path and query, changed without reloading the page.
import { createStore } from './store.js';

/** Current path. */
export const path = createStore(window.location.pathname);
/** Current query with its `?`, or an empty string. */
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

/** Replaces the address of the current page without a new history entry. */
export function stayAt(target: string): void {
  window.history.replaceState(null, '', target);
  read();
}

/** Follows a link within the page, unless a new tab is requested. */
export function follow(event: MouseEvent): void {
  const link = event.currentTarget as HTMLAnchorElement;
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  goTo(link.pathname + link.search);
}
