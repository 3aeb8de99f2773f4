// What is learned from what members said, corrections and thresholds: put in force, taken back.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Corrections, ShownCorrection } from '../../../src/service/console/learned-shapes.js';
import { call, explain } from '../api.js';
import { Confirm } from '../components/confirm.js';
import { DataTable } from '../components/data-table.js';
import { Fault } from '../components/fault.js';
import { MoreButton } from '../components/more-button.js';
import { textOf } from '../fields.js';
import { usePages } from '../pages-of.js';
import { ClearedPictures } from './cleared-pictures.js';
import { CorrectionCard } from './correction-card.js';
import { CorrectionRow, isUnderWay } from './correction-row.js';
import { NameField } from './name-field.js';
import { ReportedPictures } from './reported-pictures.js';

/** How often it is asked how far learning is, and whether the process that answers has followed. */
const ASK_MS = 2000;

/** Forms that start one, what is in force, and the table of all. */
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
  const isAtWork = (kind: ShownCorrection['kind']): boolean =>
    data?.corrections.some((of) => of.kind === kind && isUnderWay(of)) ?? false;
  const isMoving =
    isAtWork('correction') || isAtWork('thresholds') || (data?.fixed_by === null && !isFollowed(data));
  useEffect(() => {
    if (!isMoving) return;
    const timer = setInterval(reload, ASK_MS);
    return () => clearInterval(timer);
  }, [isMoving]);
  const act = (work: Promise<unknown>): Promise<void> => {
    setFault('');
    return work.then(reload, (problem: unknown) => {
      setFault(explain(problem));
      throw problem;
    });
  };
  const put = (id: string | null): void =>
    void act(call('PUT', '/operator/corrections/in-force', { id })).catch(() => undefined);
  const start = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const name = textOf(new FormData(form), 'name').trim();
    act(call('POST', '/operator/corrections', { name })).then(
      () => form.reset(),
      () => undefined,
    );
  };
  if (!data) return <Fault fault={error} />;
  const { reported, in_force: inForce } = data;
  const corrections = pages.flatMap((page) => page.corrections);
  return (
    <section class="card flush">
      <h2 class="inside">Correction</h2>
      <ReportedPictures reported={reported} />
      <form class="filters inside" onSubmit={start}>
        <NameField of="a correction" label="Name of a new correction" />
        <button type="submit" disabled={isAtWork('correction') || data.fixed_by !== null}>
          Learn from the reports
        </button>
      </form>
      <h2 class="inside">Thresholds</h2>
      <ClearedPictures
        isOff={isAtWork('thresholds') || data.fixed_by !== null}
        onLearn={(wanted) => act(call('POST', '/operator/thresholds', wanted))}
      />
      <h2 class="inside">What was learned</h2>
      {data.fixed_by !== null && (
        <p class="inside quiet">
          Corrections and thresholds can't be learned nor put in force here: {data.fixed_by}.
        </p>
      )}
      <Fault fault={error} />
      <Fault fault={fault} />
      <Fault fault={pageFault} />
      <p class="inside" role="status">
        In force: {inForce ? inForce.name : 'what shipped'}. This process answers with {data.model}. Its
        thresholds are {data.bands_version}.{' '}
        {inForce && (
          <button type="button" class="plain" onClick={() => put(null)}>
            Go back to what shipped
          </button>
        )}
      </p>
      <DataTable
        name="Corrections"
        heads={['Name', 'Kind', 'State', 'Made', 'By']}
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
function isFollowed({ in_force: inForce, bands_version: version }: Corrections): boolean {
  return inForce ? version.includes(`+${inForce.name}.`) : !version.includes('+');
}
