// The check that the address of the page Checks names, and its neighbours in the list.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ShownCheck } from '../../../src/service/console/shapes.js';
import { call, messageOf } from '../api.js';
import { stayAt } from '../location.js';
import type { Steps } from './check-detail.js';
import type { History } from './history.js';

/** Returns the check that the address names: from the list, or loaded from the service. */
export function useOpened(
  id: string | null,
  { checks, replace }: Pick<History, 'checks' | 'replace'>,
): { opened: ShownCheck | null; fault: string; refresh: () => void } {
  const [fetchedCheck, setFetchedCheck] = useState<ShownCheck | null>(null);
  const [fault, setFault] = useState('');
  const latestId = useRef(id);
  latestId.current = id;
  const isListed = checks?.some((check) => check.id === id) ?? false;
  const refresh = (): void => {
    if (id === null) return;
    call<ShownCheck>('GET', `/checks/${encodeURIComponent(id)}`).then(
      (check) => {
        if (latestId.current === id) setFetchedCheck(check);
        replace(check);
      },
      (error: unknown) => {
        if (latestId.current === id) setFault(messageOf(error));
      },
    );
  };
  useEffect(() => {
    setFault('');
    if (!isListed) refresh();
  }, [id]);
  const opened = checks?.find((check) => check.id === id) ?? (fetchedCheck?.id === id ? fetchedCheck : null);
  return { opened, fault, refresh };
}

/**
 * Returns functions that show the neighbours of a check in the list. Near the end of the loaded checks, loads more, so
 * that the next check is there when a person asks for it.
 */
export function useSteps(
  { checks, loadMore }: Pick<History, 'checks' | 'loadMore'>,
  id: string | null,
  linkOf: (id: string) => string,
): Steps {
  const at = checks?.findIndex((check) => check.id === id) ?? -1;
  const isNearEnd = checks !== null && at !== -1 && at >= checks.length - 2;
  useEffect(() => {
    if (isNearEnd) loadMore?.();
  }, [isNearEnd, checks?.length]);
  const stepTo = (target: ShownCheck | undefined): (() => void) | null =>
    target && at !== -1 ? () => stayAt(linkOf(target.id)) : null;
  return { previous: stepTo(checks?.[at - 1]), next: stepTo(checks?.[at + 1]) };
}
