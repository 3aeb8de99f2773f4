// A row of the operator's table of fitted thresholds.
import type { JSX } from 'preact';
import type { ShownThresholds } from '../../../src/service/console/shapes.js';
import { formatCount, formatMoment } from '../format.js';

/**
 * Draws the thresholds with buttons. Details can be shown when the fit is done. Thresholds can be deleted unless they
 * are active or being fitted.
 */
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
  /** True if the service's settings do not allow activating thresholds. */
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

/** Returns whether the thresholds are waiting to be fitted or being fitted. */
export function isUnderWay({ state }: ShownThresholds): boolean {
  return state === 'waiting' || state === 'learning';
}

function describeState({ state, seen, pictures, reason }: ShownThresholds): string {
  if (state === 'learning' && pictures > 0)
    return `being fitted: ${formatCount(seen)} of ${formatCount(pictures)} images seen`;
  return reason === null ? state : `${state}: ${reason}`;
}
