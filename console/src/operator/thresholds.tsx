// The operator's tab Thresholds: a form that starts a fit, the active thresholds, and a table of all.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ShownThresholds, ThresholdsPage } from '../../../src/service/console/shapes.js';
import { call, messageOf } from '../api.js';
import { Confirm } from '../components/confirm.js';
import { DataTable } from '../components/data-table.js';
import { Fault } from '../components/fault.js';
import { MoreButton } from '../components/more-button.js';
import { usePages } from '../pages-of.js';
import { ClearedImages } from './cleared-images.js';
import { ThresholdsCard } from './thresholds-card.js';
import { ThresholdsRow, isUnderWay } from './thresholds-row.js';

/** Pause in milliseconds between two requests for the state of a fit. */
const POLL_MS = 2000;

export function ThresholdsPanel(): JSX.Element {
  const loaded = usePages<ThresholdsPage>('/operator/thresholds', 'before');
  const { pages, error, reload, loadMore } = loaded;
  const data = pages[0];
  const [opened, setOpened] = useState<ShownThresholds | null>(null);
  const [thresholdsToDelete, setThresholdsToDelete] = useState<ShownThresholds | null>(null);
  const { act, fault } = useActs(reload);
  const isAtWork = data?.thresholds.some(isUnderWay) ?? false;
  useReloads(reload, isAtWork || (data?.fixed_by === null && !isFollowed(data)));
  const activate = (id: string | null): void =>
    void act(call('PUT', '/operator/thresholds/active', { id })).catch(() => undefined);
  if (!data) return <Fault fault={error} />;
  const isFixed = data.fixed_by !== null;
  return (
    <section class="card flush">
      <h2 class="inside">New thresholds</h2>
      <ClearedImages
        isOff={isAtWork || isFixed}
        onFit={(newThresholds) => act(call('POST', '/operator/thresholds', newThresholds))}
      />
      <h2 class="inside">Fitted</h2>
      {isFixed && <p class="inside quiet">Thresholds can’t be fitted or activated here: {data.fixed_by}.</p>}
      {[error, fault, loaded.fault].map((one, at) => (
        <Fault key={at} fault={one} />
      ))}
      <Active data={data} onRollBack={() => activate(null)} />
      <DataTable
        name="Thresholds"
        heads={['Name', 'State', 'Made', 'By']}
        hasActions
        empty="None were fitted yet."
      >
        {pages
          .flatMap((page) => page.thresholds)
          .map((thresholds) => (
            <ThresholdsRow
              key={thresholds.id}
              thresholds={thresholds}
              isActive={thresholds.id === data.active?.id}
              isFixed={isFixed}
              onShow={() => setOpened(thresholds)}
              onActivate={() => activate(thresholds.id)}
              onDelete={() => setThresholdsToDelete(thresholds)}
            />
          ))}
      </DataTable>
      <MoreButton loadMore={loadMore} />
      {opened && <ThresholdsCard thresholds={opened} onClose={() => setOpened(null)} />}
      {thresholdsToDelete && (
        <Confirm
          title={`Delete ${thresholdsToDelete.name}`}
          text="Results and records made with these thresholds stay, but can’t be reproduced."
          confirmLabel="Delete"
          act={() => call('DELETE', `/operator/thresholds/${thresholdsToDelete.id}`).then(reload)}
          onClose={() => setThresholdsToDelete(null)}
        />
      )}
    </section>
  );
}

/** Returns `act`, which runs an action and then reloads, and `fault`, the error message of the last action. */
function useActs(reload: () => void): {
  readonly act: (work: Promise<unknown>) => Promise<void>;
  readonly fault: string;
} {
  const [fault, setFault] = useState('');
  const act = (work: Promise<unknown>): Promise<void> => {
    setFault('');
    return work.then(reload, (problem: unknown) => {
      setFault(messageOf(problem));
      throw problem;
    });
  };
  return { act, fault };
}

/** Reloads every few seconds while `isMoving` is true: during a fit or an activation. */
function useReloads(reload: () => void, isMoving: boolean): void {
  useEffect(() => {
    if (!isMoving) return;
    const timer = setInterval(reload, POLL_MS);
    return () => clearInterval(timer);
  }, [isMoving]);
}

/** Draws the active thresholds with a button that returns to the earlier ones. */
function Active({ data, onRollBack }: { data: ThresholdsPage; onRollBack: () => void }): JSX.Element {
  const { active } = data;
  return (
    <p class="inside" role="status">
      Active: {active ? active.name : 'shipped thresholds'}. This process answers with {data.model}. Its
      thresholds are {data.bands_version}.{' '}
      {active && (
        <button type="button" class="plain" onClick={onRollBack}>
          Restore the shipped thresholds
        </button>
      )}
    </p>
  );
}

/** Returns whether the process that answered already uses the active thresholds. */
function isFollowed({ active, bands_version: version }: ThresholdsPage): boolean {
  return active ? version.includes(`+${active.name}.`) : !version.includes('+');
}
