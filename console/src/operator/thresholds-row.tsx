// Thresholds as a row of the operator's table.
import type { JSX } from 'preact';
import type { ShownThresholds } from '../../../src/service/console/shapes.js';
import { formatCount, formatMoment } from '../format.js';

/** With what can be done to them. The card shows once they were fitted; they go away if neither being fitted nor active. */
export function ThresholdsRow({
  thresholds,
  isActive,
  isFixed,
  onShow,
  onActivate,
  onDelete,
}: {
  thresholds: ShownThresholds;
  isActive: boolean;
  /** Whether none can be activated here. */
  isFixed: boolean;
  onShow: () => void;
  onActivate: () => void;
  onDelete: () => void;
}): JSX.Element {
  return (
    <tr>
      <td>{thresholds.name}</td>
      <td>{describeState(thresholds)}</td>
      <td class="nowrap">{formatMoment(thresholds.created_at)}</td>
      <td>{thresholds.made_by}</td>
      <td class="end">
        {thresholds.outcome !== null && (
          <button type="button" class="plain" onClick={onShow}>
            Card<span class="sr"> of {thresholds.name}</span>
          </button>
        )}
        {thresholds.state === 'ready' && !isActive && !isFixed && (
          <button type="button" class="plain" onClick={onActivate}>
            Activate<span class="sr"> {thresholds.name}</span>
          </button>
        )}
        {!isUnderWay(thresholds) && !isActive && (
          <button type="button" class="plain" onClick={onDelete}>
            Delete<span class="sr"> {thresholds.name}</span>
          </button>
        )}
      </td>
    </tr>
  );
}

/** Whether a process fits them, or will. */
export function isUnderWay({ state }: ShownThresholds): boolean {
  return state === 'waiting' || state === 'learning';
}

function describeState({ state, seen, pictures, reason }: ShownThresholds): string {
  if (state === 'learning' && pictures > 0)
    return `being fitted: ${formatCount(seen)} of ${formatCount(pictures)} images seen`;
  return reason === null ? state : `${state}: ${reason}`;
}
