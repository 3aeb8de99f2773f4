// A form for a note on a check and the result of its review. The whole account can read them.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ShownCheck } from '../../../src/service/console/shapes.js';
import { call, messageOf } from '../api.js';
import { Fault } from '../components/fault.js';
import { textOf } from '../fields.js';
import { formatMoment } from '../format.js';
import { CHOICES } from './filter.js';

/** Draws the form. Calls `onSaved` after the note was saved. */
export function NoteForm({ check, onSaved }: { check: ShownCheck; onSaved: () => void }): JSX.Element {
  const { id, note } = check;
  const [fault, setFault] = useState('');
  const save = (event: SubmitEvent): void => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    const body = { text: textOf(fields, 'text'), status: textOf(fields, 'status') || null };
    setFault('');
    call('PUT', `/checks/${id}/note`, body).then(onSaved, (error: unknown) => setFault(messageOf(error)));
  };
  return (
    <form class="note" onSubmit={save}>
      <label class="field">
        Status
        <select name="status" defaultValue={note?.status ?? ''}>
          {(['', 'open', 'confirmed', 'cleared'] as const).map((status) => (
            <option key={status} value={status} selected={status === (note?.status ?? '')}>
              {status === '' ? CHOICES.status.none : CHOICES.status[status]}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        Note <span class="quiet">visible to all members of this account</span>
        <textarea name="text" rows={2} maxLength={500} defaultValue={note?.text ?? ''} />
      </label>
      <div class="actions">
        {note && (
          <span class="quiet small">
            {note.by ?? 'a former member'}, {formatMoment(note.at)}
          </span>
        )}
        <button type="submit">Save note</button>
      </div>
      <Fault fault={fault} />
    </form>
  );
}
