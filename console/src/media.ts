// Media queries for components, such as the one for touch devices.
import { useEffect, useState } from 'preact/hooks';

/** Returns whether a media query matches. Draws the component again when this changes. */
export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => window.matchMedia(query).matches);
  useEffect(() => {
    const list = window.matchMedia(query);
    const update = (): void => setMatches(list.matches);
    list.addEventListener('change', update);
    return () => list.removeEventListener('change', update);
  }, [query]);
  return matches;
}

/** Media query that matches devices operated by touch. */
export const BY_TOUCH = '(pointer: coarse)';
