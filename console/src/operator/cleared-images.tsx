// A form that fits thresholds to images which members marked as genuine. The operator ticks the accounts whose images
// are used.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Judged } from '../../../src/service/console/shapes.js';
import { DataTable } from '../components/data-table.js';
import { Fault } from '../components/fault.js';
import { textOf } from '../fields.js';
import { formatCount } from '../format.js';
import { useLoaded } from '../load.js';

const PROFILES = ['strict', 'balanced', 'sensitive'] as const;
type Profile = (typeof PROFILES)[number];

/** Default false-positive rate for each profile in per cent, the same as on the command line. */
const AIMS: Readonly<Record<Profile, number>> = { strict: 0.3, balanced: 1, sensitive: 5 };

/** Body of POST operator/thresholds, which starts fitting thresholds. */
export interface NewThresholds {
  readonly name: string;
  readonly aims: Readonly<Record<Profile, number>>;
  readonly from?: string;
  readonly to?: string;
  readonly also_reported: boolean;
  readonly account_ids: readonly string[];
}

/** Draws the form. Empties it after `onFit` has resolved. */
export function ClearedImages(props: {
  /** True if no fit can be started now. */
  isOff: boolean;
  onFit: (newThresholds: NewThresholds) => Promise<unknown>;
}): JSX.Element {
  const { isOff, onFit } = props;
  const [range, setRange] = useState({ from: '', to: '', alsoReported: false });
  const [leftOut, setLeftOut] = useState<readonly string[]>([]);
  const days = {
    ...(range.from !== '' && { from: range.from }),
    ...(range.to !== '' && { to: range.to }),
  };
  const query = new URLSearchParams({ ...days, also_reported: String(range.alsoReported) });
  const { data, error } = useLoaded<Judged>(`/operator/judged?${query.toString()}`);
  const accounts = data?.accounts ?? [];
  const selectedAccounts = accounts.filter(({ id, genuine }) => genuine > 0 && !leftOut.includes(id));
  const genuine = selectedAccounts.reduce((sum, of) => sum + of.genuine, 0);
  const fit = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const fields = new FormData(form);
    const aim = (profile: Profile): number => Number(textOf(fields, profile)) / 100;
    void onFit({
      name: textOf(fields, 'name').trim(),
      aims: { strict: aim('strict'), balanced: aim('balanced'), sensitive: aim('sensitive') },
      ...days,
      also_reported: range.alsoReported,
      account_ids: selectedAccounts.map(({ id }) => id),
    }).then(
      () => form.reset(),
      () => undefined,
    );
  };
  const tick = (id: string, isTicked: boolean): void =>
    setLeftOut(isTicked ? leftOut.filter((other) => other !== id) : [...leftOut, id]);
  return (
    <>
      <Range {...range} onChange={(change) => setRange({ ...range, ...change })} />
      <Fault fault={error} />
      <DataTable
        name="Cleared images by account"
        heads={['Account', { number: 'Cleared' }, { number: 'Members' }, { number: 'AI' }]}
        empty="There are no cleared checks with a stored image."
      >
        {accounts.map((account) => (
          <AccountRow
            key={account.id}
            account={account}
            isCounted={selectedAccounts.includes(account)}
            onTick={(isTicked) => tick(account.id, isTicked)}
          />
        ))}
      </DataTable>
      <Chosen genuine={genuine} minimum={data?.least ?? 0} />
      <AimsForm isOff={isOff || selectedAccounts.length === 0} onSubmit={fit} />
    </>
  );
}

/** Draws the number of selected images and the required minimum. */
function Chosen({ genuine, minimum }: { genuine: number; minimum: number }): JSX.Element {
  return (
    <p class="inside" role="status">
      {formatCount(genuine)} genuine images are chosen. At least {formatCount(minimum)} different images are
      needed. With several accounts, at most half of a threshold’s images come from one account.
    </p>
  );
}

function Range(props: {
  from: string;
  to: string;
  alsoReported: boolean;
  onChange: (change: { from?: string; to?: string; alsoReported?: boolean }) => void;
}): JSX.Element {
  const { from, to, alsoReported, onChange } = props;
  return (
    <form class="filters inside" onSubmit={(event) => event.preventDefault()}>
      <label class="day">
        <span class="quiet">Checks from</span>
        <input type="date" value={from} onChange={(event) => onChange({ from: event.currentTarget.value })} />
      </label>
      <label class="day">
        <span class="quiet">to</span>
        <input type="date" value={to} onChange={(event) => onChange({ to: event.currentTarget.value })} />
      </label>
      <label>
        <input
          type="checkbox"
          checked={alsoReported}
          onChange={(event) => onChange({ alsoReported: event.currentTarget.checked })}
        />{' '}
        also those reported as genuine, which are all false positives
      </label>
    </form>
  );
}

/** Draws an account: how many images its members marked, and a check box that selects them. */
function AccountRow(props: {
  account: Judged['accounts'][number];
  isCounted: boolean;
  onTick: (isTicked: boolean) => void;
}): JSX.Element {
  const { account, isCounted, onTick } = props;
  return (
    <tr>
      <td>
        <label>
          <input
            type="checkbox"
            checked={isCounted}
            disabled={account.genuine === 0}
            onChange={(event) => onTick(event.currentTarget.checked)}
          />{' '}
          {account.name}
        </label>
      </td>
      <td class="number">{formatCount(account.genuine)}</td>
      <td class="number">{formatCount(account.members)}</td>
      <td class="number">{formatCount(account.ai)}</td>
    </tr>
  );
}

/** Draws a form for the name and the wanted false-positive rates. */
function AimsForm(props: { isOff: boolean; onSubmit: (event: SubmitEvent) => void }): JSX.Element {
  const { isOff, onSubmit } = props;
  return (
    <form class="filters inside" onSubmit={onSubmit}>
      <input
        name="name"
        required
        maxLength={32}
        pattern="[0-9A-Za-z]([0-9A-Za-z\-]*[0-9A-Za-z])?"
        title="letters, digits and dashes"
        placeholder="name of thresholds"
        aria-label="Name of new thresholds"
      />
      {PROFILES.map((profile) => (
        <label key={profile} class="day">
          <span class="quiet">{profile} %</span>
          <input
            name={profile}
            type="number"
            required
            min={0.01}
            max={50}
            step={0.01}
            defaultValue={String(AIMS[profile])}
          />
        </label>
      ))}
      <button type="submit" disabled={isOff}>
        Fit thresholds
      </button>
    </form>
  );
}
