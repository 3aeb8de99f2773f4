// A row of the operator's table of thresholds.
import type { JSX } from 'preact';
import type { ShownThresholds } from '../../../src/service/console/shapes.js';
import { formatCount, formatMoment } from '../format.js';

/**
 * Draws the thresholds with their actions. The card opens after fitting. Thresholds that are neither active nor
 * being fitted can be deleted.
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
  /** True if thresholds can't be activated here. */
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

/** Returns whether the thresholds wait for a fit or are being fitted. */
export function isUnderWay({ state }: ShownThresholds): boolean {
  return state === 'waiting' || state === 'learning';
}

function describeState({ state, seen, pictures, reason }: ShownThresholds): string {
  if (state === 'learning' && pictures > 0)
    return `being fitted: ${formatCount(seen)} of ${formatCount(pictures)} images seen`;
  return reason === null ? state : `${state}: ${reason}`;
}
