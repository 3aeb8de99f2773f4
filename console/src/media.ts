// What the reader's device is like, as style sheets ask for it.
import { useEffect, useState } from 'preact/hooks';

/** Whether a media query holds, kept current. */
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

/** A device that is worked with fingers. */
export const BY_TOUCH = '(pointer: coarse)';
