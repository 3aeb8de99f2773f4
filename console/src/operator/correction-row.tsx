// A correction, or thresholds, as a row of the operator's table.
import type { JSX } from 'preact';
import type { ShownCorrection } from '../../../src/service/console/learned-shapes.js';
import { formatCount, formatMoment } from '../format.js';

/** With what can be done to it. Its card shows once it was learned; it goes away if it is neither at work nor in force. */
export function CorrectionRow({
  correction,
  isInForce,
  isFixed,
  onShow,
  onPut,
  onDelete,
}: {
  correction: ShownCorrection;
  isInForce: boolean;
  /** Whether none can be put in force here. */
  isFixed: boolean;
  onShow: () => void;
  onPut: () => void;
  onDelete: () => void;
}): JSX.Element {
  return (
    <tr>
      <td>{correction.name}</td>
      <td>{correction.kind}</td>
      <td>{describeState(correction)}</td>
      <td class="nowrap">{formatMoment(correction.created_at)}</td>
      <td>{correction.made_by}</td>
      <td class="end">
        {correction.outcome !== null && (
          <button type="button" class="plain" onClick={onShow}>
            Card<span class="sr"> of {correction.name}</span>
          </button>
        )}
        {correction.state === 'ready' && !isInForce && !isFixed && (
          <button type="button" class="plain" onClick={onPut}>
            Put in force<span class="sr"> {correction.name}</span>
          </button>
        )}
        {!isUnderWay(correction) && !isInForce && (
          <button type="button" class="plain" onClick={onDelete}>
            Delete<span class="sr"> {correction.name}</span>
          </button>
        )}
      </td>
    </tr>
  );
}

/** Whether a process learns it, or will. */
export function isUnderWay({ state }: ShownCorrection): boolean {
  return state === 'waiting' || state === 'learning';
}

function describeState({ state, seen, pictures, reason }: ShownCorrection): string {
  if (state === 'learning' && pictures > 0)
    return `learning: ${formatCount(seen)} of ${formatCount(pictures)} pictures seen`;
  return reason === null ? state : `${state}: ${reason}`;
}
