// Loads the data that a page shows.
import { useCallback, useEffect, useState } from 'preact/hooks';
import { ApiError, call } from './api.js';

/** Data of a page, or the error of the request. */
export interface Loaded<T> {
  readonly data: T | null;
  readonly error: ApiError | null;
  /** Repeats the request. The old data remain visible until the new data arrive. */
  readonly reload: () => void;
}

/** Loads `path`. Loads again when `path` changes. */
export function useLoaded<T>(path: string): Loaded<T> {
  const [state, setState] = useState<{ data: T | null; error: ApiError | null }>({ data: null, error: null });
  const [loadCount, setLoadCount] = useState(0);
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
  }, [path, loadCount]);
  return { ...state, reload: useCallback(() => setLoadCount((count) => count + 1), []) };
}
