// Which page is shown: the path of the address, without loading anything anew.
import { createStore } from './store.js';

/** The path shown. */
export const path = createStore(window.location.pathname);

window.addEventListener('popstate', () => path.set(() => window.location.pathname));

/** Shows another page. */
export function goTo(target: string): void {
  if (target !== window.location.pathname) window.history.pushState(null, '', target);
  path.set(() => target);
  window.scrollTo(0, 0);
}

/** For links: follows them within the page, except where a new tab is asked for. */
export function follow(event: MouseEvent): void {
  const link = event.currentTarget as HTMLAnchorElement;
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  goTo(link.pathname);
}
