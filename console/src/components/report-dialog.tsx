// A dialog that reports a wrong verdict.
import type { JSX } from 'preact';
import { labelOf, type Label } from '../../../src/accounts/history/outcomes.js';
import { call } from '../api.js';
import { FormDialog } from './form-dialog.js';

/** Texts for the correct verdicts to choose from. */
export const LABEL_NAMES: Readonly<Record<Label, string>> = {
  real: 'Genuine: made without AI',
  generated: 'AI-generated',
  edited: 'AI-edited',
  swapped: 'Face-swapped',
};

/** Draws the dialog. It asks for the correct verdict, offers all except the given one, and sends the report. */
export function ReportDialog(props: {
  id: string;
  isAi: boolean;
  isStored: boolean;
  onSent: () => void;
  onClose: () => void;
}): JSX.Element {
  const { id, isAi, isStored, onSent, onClose } = props;
  const send = (fields: FormData): Promise<void> =>
    call('PUT', `/checks/${id}/report`, { label: fields.get('label'), note: fields.get('note') }).then(
      onSent,
    );
  return (
    <FormDialog title="Report a wrong verdict" submitLabel="Report" send={send} onClose={onClose}>
      <fieldset class="choices">
        <legend>What is it really?</legend>
        {Object.entries(LABEL_NAMES)
          .filter(([label]) => label !== labelOf(isAi))
          .map(([label, name]) => (
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
          ? 'The report is stored with the check. The operator can measure the error rate with it.'
          : 'The report is stored with the check. The image is not stored, so the operator can’t measure the error rate with it. Switch on “Keep images” before a check to change that.'}
      </p>
    </FormDialog>
  );
}
