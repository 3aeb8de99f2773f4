// Corrections of the full image: learned from what members reported, put in force, taken back.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Corrections, ShownCorrection } from '../../../src/service/console/shapes.js';
import { call, explain } from '../api.js';
import { Confirm } from '../components/confirm.js';
import { DataTable } from '../components/data-table.js';
import { Fault } from '../components/fault.js';
import { MoreButton } from '../components/more-button.js';
import { textOf } from '../fields.js';
import { usePages } from '../pages-of.js';
import { CorrectionCard } from './correction-card.js';
import { CorrectionRow, isUnderWay } from './correction-row.js';
import { ReportedPictures } from './reported-pictures.js';

/** How often it is asked how far learning is, and whether the process that answers has followed. */
const ASK_MS = 2000;

/** A form that starts one, what is in force, and the table of all. */
export function CorrectionsPanel(): JSX.Element {
  const {
    pages,
    error,
    fault: pageFault,
    reload,
    more,
  } = usePages<Corrections>('/operator/corrections', 'before');
  const data = pages[0];
  const [shown, setShown] = useState<ShownCorrection | null>(null);
  const [doomed, setDoomed] = useState<ShownCorrection | null>(null);
  const [fault, setFault] = useState('');
  const isAtWork = data?.corrections.some(isUnderWay) ?? false;
  const isMoving = isAtWork || (data?.fixed_by === null && !isFollowed(data));
  useEffect(() => {
    if (!isMoving) return;
    const timer = setInterval(reload, ASK_MS);
    return () => clearInterval(timer);
  }, [isMoving]);
  const act = (work: Promise<unknown>): void => {
    setFault('');
    work.then(reload).catch((problem: unknown) => setFault(explain(problem)));
  };
  const put = (id: string | null): void => act(call('PUT', '/operator/corrections/in-force', { id }));
  const start = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const name = textOf(new FormData(form), 'name').trim();
    act(call('POST', '/operator/corrections', { name }).then(() => form.reset()));
  };
  if (!data) return <Fault fault={error} />;
  const { reported, in_force: inForce } = data;
  const corrections = pages.flatMap((page) => page.corrections);
  return (
    <section class="card flush">
      <ReportedPictures reported={reported} />
      <form class="filters inside" onSubmit={start}>
        <input
          name="name"
          required
          maxLength={32}
          pattern="[0-9A-Za-z]([0-9A-Za-z\-]*[0-9A-Za-z])?"
          title="letters, digits and dashes"
          placeholder="name of a correction"
          aria-label="Name of a new correction"
        />
        <button type="submit" disabled={isAtWork || data.fixed_by !== null}>
          Learn from the reports
        </button>
      </form>
      {data.fixed_by !== null && (
        <p class="inside quiet">Corrections can't be learned nor put in force here: {data.fixed_by}.</p>
      )}
      <Fault fault={error} />
      <Fault fault={fault} />
      <Fault fault={pageFault} />
      <p class="inside" role="status">
        In force: {inForce ? inForce.name : 'what shipped'}. This process answers with {data.model}.{' '}
        {inForce && (
          <button type="button" class="plain" onClick={() => put(null)}>
            Go back to what shipped
          </button>
        )}
      </p>
      <DataTable
        name="Corrections"
        heads={['Correction', 'State', 'Made', 'By']}
        hasActions
        empty="None was learned yet."
      >
        {corrections.map((correction) => (
          <CorrectionRow
            key={correction.id}
            correction={correction}
            isInForce={correction.id === inForce?.id}
            isFixed={data.fixed_by !== null}
            onShow={() => setShown(correction)}
            onPut={() => put(correction.id)}
            onDelete={() => setDoomed(correction)}
          />
        ))}
      </DataTable>
      <MoreButton more={more} />
      {shown && <CorrectionCard correction={shown} onClose={() => setShown(null)} />}
      {doomed && (
        <Confirm
          title={`Delete ${doomed.name}`}
          text="Results and records that it made stay; they can't be run again with it."
          yes="Delete"
          act={() => call('DELETE', `/operator/corrections/${doomed.id}`).then(reload)}
          onClose={() => setDoomed(null)}
        />
      )}
    </section>
  );
}

/** Whether the process that answers checks with what is in force. */
function isFollowed({ in_force: inForce, model }: Corrections): boolean {
  return inForce ? model.includes(`+${inForce.name}.`) : !model.includes('+');
}
