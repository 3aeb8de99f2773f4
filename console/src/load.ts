// Data that a page asks the service for when it is shown.
import { useCallback, useEffect, useState } from 'preact/hooks';
import { ApiError, call } from './api.js';

/** What became of a request so far. */
export interface Loaded<T> {
  readonly data: T | null;
  readonly error: ApiError | null;
  /** Asks again; the old data stay until the new ones are there. */
  readonly reload: () => void;
}

/** GETs `path`, again whenever it changes. */
export function useLoaded<T>(path: string): Loaded<T> {
  const [state, setState] = useState<{ data: T | null; error: ApiError | null }>({ data: null, error: null });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    call<T>('GET', path).then(
      (data) => isCurrent && setState({ data, error: null }),
      (error: unknown) =>
        isCurrent && error instanceof ApiError && setState((before) => ({ data: before.data, error })),
    );
    return () => {
      isCurrent = false;
    };
  }, [path, turn]);
  return { ...state, reload: useCallback(() => setTurn((count) => count + 1), []) };
}
