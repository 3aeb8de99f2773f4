// Media queries as hooks.
import { useEffect, useState } from 'preact/hooks';

/** Returns whether a media query matches, and updates on changes. */
export function useMedia(query: string): boolean {
  const [holds, setHolds] = useState(() => window.matchMedia(query).matches);
  useEffect(() => {
    const list = window.matchMedia(query);
    const update = (): void => setHolds(list.matches);
    list.addEventListener('change', update);
    return () => list.removeEventListener('change', update);
  }, [query]);
  return holds;
}

/** Media query for touch devices. */
export const BY_TOUCH = '(pointer: coarse)';
