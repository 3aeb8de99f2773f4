// Selecting checks of the list, and setting their status together.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ShownCheck } from '../../../src/service/console/shapes.js';
import { call, messageOf } from '../api.js';
import { Fault } from '../components/fault.js';
import { textOf } from '../fields.js';
import { CHOICES } from './filter.js';

/** Maximum number of checks whose status one request sets. */
const MAX_IDS = 100;

/** The selected checks of a list. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly set: (ids: ReadonlySet<string>) => void;
}

/** Remembers the selected checks. Forgets those that the list no longer shows. */
export function useSelection(checks: readonly ShownCheck[] | null): Selection {
  const [ids, set] = useState<ReadonlySet<string>>(new Set());
  const shownIds = (checks ?? []).filter(({ id }) => ids.has(id)).map(({ id }) => id);
  return { ids: new Set(shownIds), set };
}

/** Draws a box that selects all listed checks, and a form that sets the status of the selected ones. */
export function SelectionBar(props: {
  checks: readonly ShownCheck[];
  selection: Selection;
  onChanged: () => void;
}): JSX.Element {
  const {
    checks,
    selection: { ids, set },
    onChanged,
  } = props;
  const [fault, setFault] = useState('');
  const apply = (event: SubmitEvent): void => {
    event.preventDefault();
    const status = textOf(new FormData(event.currentTarget as HTMLFormElement), 'status') || null;
    setFault('');
    setStatuses([...ids], status)
      .then(() => set(new Set()))
      .catch((error: unknown) => setFault(messageOf(error)))
      .finally(onChanged);
  };
  const isAll = checks.length > 0 && ids.size === checks.length;
  return (
    <form class="selection" aria-label="Selected checks" onSubmit={apply}>
      <label class="switch">
        <input
          type="checkbox"
          checked={isAll}
          indeterminate={ids.size > 0 && !isAll}
          onChange={() => set(new Set(isAll ? [] : checks.map(({ id }) => id)))}
        />
        <span>{ids.size === 0 ? 'Select all listed checks' : `${ids.size} selected`}</span>
      </label>
      {ids.size > 0 && (
        <span class="set">
          <label class="inline">
            <span class="sr">Status of the selected checks</span>
            <select name="status">
              {(['confirmed', 'cleared', 'open', ''] as const).map((status) => (
                <option key={status} value={status}>
                  {status === '' ? CHOICES.status.none : CHOICES.status[status]}
                </option>
              ))}
            </select>
          </label>
          <button type="submit">Set status</button>
        </span>
      )}
      <Fault fault={fault} />
    </form>
  );
}

async function setStatuses(ids: readonly string[], status: string | null): Promise<void> {
  for (let start = 0; start < ids.length; start += MAX_IDS)
    await call('PUT', '/checks/status', { ids: ids.slice(start, start + MAX_IDS), status });
}
