// The operator's tab for known images: fakes and genuine images that verdicts mention.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { KnownList } from '../../../src/service/console/shapes.js';
import { call, messageOf } from '../api.js';
import { DataTable } from '../components/data-table.js';
import { Fault } from '../components/fault.js';
import { FormDialog } from '../components/form-dialog.js';
import { formatDay } from '../format.js';
import { useLoaded } from '../load.js';

type Known = KnownList['known'][number];

/** Draws a form that adds an image, and the table of all known images. */
export function KnownPanel(): JSX.Element {
  const { data, error, reload } = useLoaded<KnownList>('/operator/known');
  const [fault, setFault] = useState('');
  const [removing, setRemoving] = useState<Known | null>(null);
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
          heads={['Image', 'Label', 'Can decide', 'Note', 'Source', 'Since']}
          hasActions
          empty="There are no known images yet."
        >
          {data.known.map((image) => (
            <KnownRow key={image.id} image={image} onRemove={() => setRemoving(image)} />
          ))}
        </DataTable>
      )}
      {removing && (
        <FormDialog
          title={`Remove this ${removing.label} image?`}
          submitLabel="Remove"
          buttonStyle="danger"
          send={async () => {
            await call('DELETE', `/operator/known/${removing.id}`);
            setRemoving(null);
            reload();
          }}
          onClose={() => setRemoving(null)}
        >
          <Thumbnail image={removing} />
          <p>{removing.note}</p>
          <p>Verdicts no longer mention it. To list it again, you need the file.</p>
        </FormDialog>
      )}
    </section>
  );
}

function KnownRow({ image, onRemove }: { image: Known; onRemove: () => void }): JSX.Element {
  const { id, label, note, source, created_at: at, can_decide: canDecide } = image;
  return (
    <tr>
      <td>
        <Thumbnail image={image} />
      </td>
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
        <button type="button" class="plain" onClick={onRemove}>
          Remove<span class="sr"> {note}</span>
        </button>
      </td>
    </tr>
  );
}

function Thumbnail({ image: { id, has_thumbnail: hasThumbnail } }: { image: Known }): JSX.Element {
  if (!hasThumbnail) return <span class="quiet small">none</span>;
  return <img class="tile" src={`/console/api/operator/known/${id}/thumbnail`} alt="" loading="lazy" />;
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
