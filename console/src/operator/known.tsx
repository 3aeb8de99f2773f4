// The operator's tab for known images: fakes and genuine images that verdicts mention.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { KnownList } from '../../../src/service/console/shapes.js';
import { call, messageOf } from '../api.js';
import { DataTable } from '../components/data-table.js';
import { Fault } from '../components/fault.js';
import { formatDay } from '../format.js';
import { useLoaded } from '../load.js';

/** Draws a form that adds an image, and the table of all known images. */
export function KnownPanel(): JSX.Element {
  const { data, error, reload } = useLoaded<KnownList>('/operator/known');
  const [fault, setFault] = useState('');
  /** Runs an action. Resolves with true if it succeeded. */
  const act = async (work: Promise<unknown>): Promise<boolean> => {
    setFault('');
    try {
      await work;
      reload();
      return true;
    } catch (problem) {
      setFault(messageOf(problem));
      return false;
    }
  };
  return (
    <section class="card flush">
      <KnownForm onAdd={(form) => act(call('POST', '/operator/known', form))} />
      <Fault fault={error ?? fault} />
      {data && (
        <DataTable
          name="Known images"
          heads={['Label', 'Can decide', 'Note', 'Source', 'Since']}
          hasActions
          empty="There are no known images yet."
        >
          {data.known.map(({ id, label, note, source, created_at: at, can_decide: canDecide }) => (
            <tr key={id}>
              <td>{label}</td>
              <td>{label === 'genuine' ? '' : canDecide ? 'yes' : 'no: add it again'}</td>
              <td>
                {note}
                <br />
                <code class="quiet small">{id}</code>
              </td>
              <td>{source}</td>
              <td class="nowrap">{formatDay(at)}</td>
              <td class="end">
                <button
                  type="button"
                  class="plain"
                  onClick={() => void act(call('DELETE', `/operator/known/${id}`))}
                >
                  Remove<span class="sr"> {note}</span>
                </button>
              </td>
            </tr>
          ))}
        </DataTable>
      )}
    </section>
  );
}

function KnownForm({ onAdd }: { onAdd: (form: FormData) => Promise<boolean> }): JSX.Element {
  const add = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    void onAdd(new FormData(form)).then((isAdded) => isAdded && form.reset());
  };
  return (
    <form class="filters inside" onSubmit={add}>
      <input type="file" name="file" required accept="image/*" aria-label="Image" />
      <select name="label" aria-label="What it is">
        <option>fake</option>
        <option>genuine</option>
      </select>
      <input name="note" maxLength={200} placeholder="what you know of it" aria-label="Note" />
      <input name="source" type="url" maxLength={500} placeholder="https://..." aria-label="Page about it" />
      <button type="submit">Add the image</button>
    </form>
  );
}
