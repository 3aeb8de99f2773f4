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
  const loaded = usePages<Corrections>('/operator/corrections', 'before');
  const { pages, error, reload, more } = loaded;
  const data = pages[0];
  const [shown, setShown] = useState<ShownCorrection | null>(null);
  const [doomed, setDoomed] = useState<ShownCorrection | null>(null);
  const { act, fault } = useActs(reload);
  const isAtWork = (kind: ShownCorrection['kind']): boolean =>
    data?.corrections.some((of) => of.kind === kind && isUnderWay(of)) ?? false;
  useReloads(
    reload,
    isAtWork('correction') || isAtWork('thresholds') || (data?.fixed_by === null && !isFollowed(data)),
  );
  const put = (id: string | null): void =>
    void act(call('PUT', '/operator/corrections/in-force', { id })).catch(() => undefined);
  if (!data) return <Fault fault={error} />;
  const { reported, in_force: inForce } = data;
  return (
    <section class="card flush">
      <h2 class="inside">Correction</h2>
      <ReportedPictures reported={reported} />
      <NewCorrectionForm
        isOff={isAtWork('correction') || data.fixed_by !== null}
        onLearn={(name) => act(call('POST', '/operator/corrections', { name }))}
      />
      <h2 class="inside">Thresholds</h2>
      <ClearedPictures
        isOff={isAtWork('thresholds') || data.fixed_by !== null}
        onLearn={(wanted) => act(call('POST', '/operator/thresholds', wanted))}
      />
      <h2 class="inside">What was learned</h2>
      {data.fixed_by !== null && <Fixed by={data.fixed_by} />}
      {[error, fault, loaded.fault].map((one, at) => (
        <Fault key={at} fault={one} />
      ))}
      <InForce data={data} onBack={() => put(null)} />
      <CorrectionsTable
        corrections={pages.flatMap((page) => page.corrections)}
        inForceId={inForce?.id}
        isFixed={data.fixed_by !== null}
        onShow={setShown}
        onPut={put}
        onDelete={setDoomed}
      />
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

/** `act` loads anew once its work is done; `fault` tells why the last one failed, empty if it did not. */
function useActs(reload: () => void): {
  readonly act: (work: Promise<unknown>) => Promise<void>;
  readonly fault: string;
} {
  const [fault, setFault] = useState('');
  const act = (work: Promise<unknown>): Promise<void> => {
    setFault('');
    return work.then(reload, (problem: unknown) => {
      setFault(explain(problem));
      throw problem;
    });
  };
  return { act, fault };
}

/** Why nothing can be learned here. */
function Fixed({ by }: { by: string }): JSX.Element {
  return <p class="inside quiet">Corrections and thresholds can't be learned nor put in force here: {by}.</p>;
}

/** Asks again every other second as long as something is under way. */
function useReloads(reload: () => void, isMoving: boolean): void {
  useEffect(() => {
    if (!isMoving) return;
    const timer = setInterval(reload, ASK_MS);
    return () => clearInterval(timer);
  }, [isMoving]);
}

/** `onLearn` resolves once it is asked for, and the form is empty again. */
function NewCorrectionForm(props: {
  isOff: boolean;
  onLearn: (name: string) => Promise<unknown>;
}): JSX.Element {
  const { isOff, onLearn } = props;
  const start = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    onLearn(textOf(new FormData(form), 'name').trim()).then(
      () => form.reset(),
      () => undefined,
    );
  };
  return (
    <form class="filters inside" onSubmit={start}>
      <NameField of="a correction" label="Name of a new correction" />
      <button type="submit" disabled={isOff}>
        Learn from the reports
      </button>
    </form>
  );
}

/** What checks are answered with, and the way back. */
function InForce({ data, onBack }: { data: Corrections; onBack: () => void }): JSX.Element {
  const { in_force: inForce } = data;
  return (
    <p class="inside" role="status">
      In force: {inForce ? inForce.name : 'what shipped'}. This process answers with {data.model}. Its
      thresholds are {data.bands_version}.{' '}
      {inForce && (
        <button type="button" class="plain" onClick={onBack}>
          Go back to what shipped
        </button>
      )}
    </p>
  );
}

function CorrectionsTable(props: {
  corrections: readonly ShownCorrection[];
  inForceId: string | undefined;
  isFixed: boolean;
  onShow: (correction: ShownCorrection) => void;
  onPut: (id: string) => void;
  onDelete: (correction: ShownCorrection) => void;
}): JSX.Element {
  const { corrections, inForceId, isFixed, onShow, onPut, onDelete } = props;
  return (
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
          isInForce={correction.id === inForceId}
          isFixed={isFixed}
          onShow={() => onShow(correction)}
          onPut={() => onPut(correction.id)}
          onDelete={() => onDelete(correction)}
        />
      ))}
    </DataTable>
  );
}

/** Whether the process that answers checks with what is in force. */
function isFollowed({ in_force: inForce, bands_version: version }: Corrections): boolean {
  return inForce ? version.includes(`+${inForce.name}.`) : !version.includes('+');
}
