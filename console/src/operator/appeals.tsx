// The operator's tab Appeals: appeals of all accounts, facts about the originals, and the operator's decision.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { HEADLINES } from '../../../src/library/check/verdict/assessment.js';
import type { AppealPage, ShownAppeal } from '../../../src/service/console/shapes.js';
import { call } from '../api.js';
import { AppealCard, SwapWarning } from '../components/appeal-card.js';
import { Fault } from '../components/fault.js';
import { FormDialog } from '../components/form-dialog.js';
import { MoreButton } from '../components/more-button.js';
import { textOf } from '../fields.js';
import { usePages } from '../pages-of.js';

/** Draws the appeals without a decision, or all appeals. */
export function AppealsPanel(): JSX.Element {
  const [isAll, setAll] = useState(false);
  const path = `/operator/appeals${isAll ? '' : '?state=open'}`;
  const { pages, error, fault, reload, loadMore } = usePages<AppealPage>(path, 'before');
  const [decided, setDecided] = useState<ShownAppeal | null>(null);
  const appeals = pages.flatMap((page) => page.appeals);
  return (
    <>
      <label>
        <input type="checkbox" checked={isAll} onChange={() => setAll(!isAll)} /> Decided ones, too
      </label>
      <Fault fault={error} />
      <Fault fault={fault} />
      {pages.length > 0 && appeals.length === 0 && (
        <p class="card">{isAll ? 'There is no appeal.' : 'No appeal is open.'}</p>
      )}
      {appeals.map((appeal) => (
        <AppealCard
          key={appeal.id}
          appeal={appeal}
          title={`${titleOf(appeal)}, ${appeal.account}`}
          imagePath={`/console/api/operator/appeals/${appeal.id}/image`}
        >
          {appeal.decision === null && appeal.withdrawn_at === null && (
            <div class="actions">
              <button type="button" onClick={() => setDecided(appeal)}>
                Decide<span class="sr"> the appeal {appeal.id}</span>
              </button>
            </div>
          )}
        </AppealCard>
      ))}
      <MoreButton loadMore={loadMore} />
      {decided && <DecisionDialog appeal={decided} onClose={() => setDecided(null)} onDecided={reload} />}
    </>
  );
}

/** Returns the headline of the contested check, and whether the decision overturned it. */
function titleOf({ check, decision }: ShownAppeal): string {
  const headline = HEADLINES[check.assessment];
  return decision?.outcome === 'verdict_overturned' ? `Overturned: ${headline}` : headline;
}

function DecisionDialog(props: {
  appeal: ShownAppeal;
  onClose: () => void;
  onDecided: () => void;
}): JSX.Element {
  const { appeal, onClose, onDecided } = props;
  const send = (fields: FormData): Promise<void> =>
    call('POST', `/operator/appeals/${appeal.id}/decision`, {
      outcome: textOf(fields, 'outcome'),
      remark: textOf(fields, 'remark').trim(),
    })
      .then(onDecided)
      .then(onClose);
  return (
    <FormDialog title="Decide the appeal" submitLabel="Decide" send={send} onClose={onClose}>
      {appeal.check.fired.includes('face_specialist') && <SwapWarning />}
      <label class="field">
        The verdict is
        <select name="outcome">
          <option value="verdict_confirmed">confirmed: the verdict was right</option>
          <option value="verdict_overturned">overturned: the verdict was wrong</option>
        </select>
      </label>
      <label class="field">
        Remark <span class="quiet">visible to the person who appealed</span>
        <textarea name="remark" maxLength={1000} rows={4} />
      </label>
      <p class="quiet small">
        The decision is final. It is added to the record, which is signed again. An overturned verdict is
        reported as wrong in the history, and counts as overturned.
      </p>
    </FormDialog>
  );
}
