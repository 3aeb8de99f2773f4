// Shows an image from before the tab was reloaded: only its verdict from the history.
import type { JSX } from 'preact';
import { chipOfCheck } from '../chip-words.js';
import { NEXT_STEPS } from '../next-steps.js';
import { withoutVerdict } from '../format.js';
import { follow } from '../location.js';
import type { PastItem } from './items.js';

/** Draws the verdict of the check, if the history still has the check. */
export function Past({ item }: { item: PastItem }): JSX.Element {
  const { check } = item.state;
  const chip = check && chipOfCheck(check);
  return (
    <div class="findings">
      <section class={`verdict ${chip?.kind ?? ''}`} aria-live="polite">
        <h2>{chip?.word ?? titleOf(item.state)}</h2>
        <p class="by">{item.name}</p>
        {check && chip ? (
          <>
            {chip.because !== null && <p class="by">{chip.because}</p>}
            {check.reason !== null && <p>{withoutVerdict(check.reason)}</p>}
            {check.attention !== null && (
              <p>
                <strong>Next:</strong> {NEXT_STEPS[check.attention]}
              </p>
            )}
            <p>
              <a href={`/checks/${check.id}`} onClick={follow}>
                Open it in Checks
              </a>
            </p>
          </>
        ) : (
          <p>{explainMissing(item.state)}</p>
        )}
        <p class="quiet small">
          The page was reloaded. It remembers names and checks in this tab, but no images.
        </p>
      </section>
    </div>
  );
}

function titleOf({ checkId, check }: PastItem['state']): string {
  if (checkId === null) return 'Not checked';
  return check === undefined ? '…' : 'Forgotten';
}

function explainMissing({ checkId, check }: PastItem['state']): string {
  if (checkId === null) return 'The page was reloaded before the result arrived. Choose the image again.';
  return check === undefined ? 'Asking the history…' : 'This check is no longer in the history.';
}
