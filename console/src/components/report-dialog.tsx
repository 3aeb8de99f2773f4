// Reports that a verdict is wrong: the right answer, and a word.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Label } from '../../../src/history/checks.js';
import { call, explain } from '../api.js';
import { Dialog } from './dialog.js';

/** The right answers, as people say them. */
export const LABEL_NAMES: Readonly<Record<Label, string>> = {
  real: 'Genuine: made without AI',
  generated: 'AI-generated',
  edited: 'AI-edited',
  swapped: 'Face-swapped',
};

/** Asks for the report and sends it. */
export function ReportDialog(props: {
  id: string;
  isStored: boolean;
  onSent: () => void;
  onClose: () => void;
}): JSX.Element {
  const { id, isStored, onSent, onClose } = props;
  const [fault, setFault] = useState('');
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    call('PUT', `/checks/${id}/report`, { label: fields.get('label'), note: fields.get('note') })
      .then(onSent)
      .catch((error: unknown) => setFault(explain(error)));
  };
  return (
    <Dialog title="Report a wrong verdict" onClose={onClose}>
      <form onSubmit={submit}>
        <fieldset class="choices">
          <legend>What is it really?</legend>
          {Object.entries(LABEL_NAMES).map(([label, name]) => (
            <label key={label}>
              <input type="radio" name="label" value={label} required /> {name}
            </label>
          ))}
        </fieldset>
        <label class="field">
          A word about it <span class="quiet">optional</span>
          <textarea name="note" rows={2} maxLength={500} />
        </label>
        <p class="quiet small">
          {isStored
            ? 'The report stays with the check; the operator can measure his own error rate by it.'
            : 'The report stays with the check. The picture itself is not kept, so the report can be read but not measured; switch on “Keep pictures” before a check for that.'}
        </p>
        <p class="fault" role="alert">
          {fault}
        </p>
        <div class="actions">
          <button type="button" class="plain" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary">
            Report
          </button>
        </div>
      </form>
    </Dialog>
  );
}
