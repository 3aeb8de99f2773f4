// Loads the data that a page shows.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, call, messageOf } from './api.js';

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

/** Result of the latest request that a person made with a form. */
export interface Requested<T> {
  readonly data: T | null;
  /** Error message of the request; empty if it succeeded. */
  readonly fault: string;
  readonly isBusy: boolean;
  /** Removes the old result and waits for a response; null waits for none. */
  readonly expect: (response: Promise<T> | null) => void;
}

/** Waits for responses to the requests of a form. Ignores responses to all requests except the latest. */
export function useRequested<T>(): Requested<T> {
  const [state, setState] = useState<Omit<Requested<T>, 'expect'>>({ data: null, fault: '', isBusy: false });
  const latest = useRef<Promise<T> | null>(null);
  const expect = (response: Promise<T> | null): void => {
    latest.current = response;
    setState({ data: null, fault: '', isBusy: response !== null });
    const end = (data: T | null, fault: string): void => {
      if (latest.current === response) setState({ data, fault, isBusy: false });
    };
    response?.then(
      (data) => end(data, ''),
      (error: unknown) => end(null, messageOf(error)),
    );
  };
  return { ...state, expect };
}
