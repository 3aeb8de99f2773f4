// Which page is shown: the path and the query of the address, without loading anything anew.
import { createStore } from './store.js';

/** The path shown. */
export const path = createStore(window.location.pathname);
/** The query of the address, with its `?`; empty where there is none. */
export const query = createStore(window.location.search);

const read = (): void => {
  query.set(() => window.location.search);
  path.set(() => window.location.pathname);
};

window.addEventListener('popstate', read);

/** Shows another page. `target`: a path, and a query where it has one. */
export function goTo(target: string): void {
  if (target !== window.location.pathname + window.location.search)
    window.history.pushState(null, '', target);
  read();
  window.scrollTo(0, 0);
}

/** Names what is shown by another address, on the same page: nothing moves, and the way back does not pass here. */
export function stayAt(target: string): void {
  window.history.replaceState(null, '', target);
  read();
}

/** For links: follows them within the page, except where a new tab is asked for. */
export function follow(event: MouseEvent): void {
  const link = event.currentTarget as HTMLAnchorElement;
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  goTo(link.pathname + link.search);
}
