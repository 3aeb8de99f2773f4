// The audit log as a table with filters, newest first.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { CHANGE_FILTERS, describeChange, nameChange } from '../../../src/accounts/changes.js';
import type { AuditPage } from '../../../src/service/console/shapes.js';
import { formatMoment } from '../format.js';
import { usePages } from '../pages-of.js';
import { DataTable } from './data-table.js';
import { Fault } from './fault.js';
import { MoreButton } from './more-button.js';

const NO_FILTER = { what: '', from: '', to: '', account: '' };
type Filter = typeof NO_FILTER;

/** Draws the account's audit log, or with `showsAccount` the log of all accounts with a column for them. */
export function AuditList({ path, showsAccount }: { path: string; showsAccount: boolean }): JSX.Element {
  const [filter, setFilter] = useState(NO_FILTER);
  const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ''));
  const { pages, error, fault, loadMore } = usePages<AuditPage>(`${path}?${query.toString()}`, 'before');
  return (
    <section class="card flush">
      <AuditFilters
        filter={filter}
        showsAccount={showsAccount}
        onChoose={(name, value) => setFilter({ ...filter, [name]: value })}
      />
      <Fault fault={error} />
      <Fault fault={fault} />
      {pages.length > 0 && (
        <DataTable
          name="Audit log"
          heads={['When', 'What', 'Of', ...(showsAccount ? ['Account'] : []), 'By', 'From', 'Change']}
          empty="No entries."
        >
          {pages
            .flatMap(({ entries }) => entries)
            .map((entry) => (
              <tr key={entry.id}>
                <td class="moment" title={entry.at}>
                  {formatMoment(entry.at)}
                </td>
                <td>{nameChange(entry.what)}</td>
                <td>{entry.subject}</td>
                {showsAccount && <td>{entry.account?.name ?? entry.account?.id ?? '–'}</td>}
                <td>{nameActor(entry.by)}</td>
                <td>{entry.by.address ?? (entry.by.kind === 'command' ? 'command line' : '–')}</td>
                <td>{describeChange(entry)}</td>
              </tr>
            ))}
        </DataTable>
      )}
      <MoreButton loadMore={loadMore} />
    </section>
  );
}

function nameActor({ kind, name }: AuditPage['entries'][number]['by']): string {
  if (name === null) return kind === 'visitor' ? 'nobody signed in' : `the ${kind}`;
  if (kind === 'visitor') return `the link ${name}`;
  return kind === 'key' ? `key ${name}` : name;
}

function AuditFilters(props: {
  filter: Filter;
  showsAccount: boolean;
  onChoose: (name: keyof Filter, value: string) => void;
}): JSX.Element {
  const { filter, showsAccount, onChoose } = props;
  return (
    <form class="filters inside" onSubmit={(event) => event.preventDefault()}>
      <label class="inline">
        <span class="sr">What</span>
        <select value={filter.what} onChange={(event) => onChoose('what', event.currentTarget.value)}>
          <option value="">Any change</option>
          {CHANGE_FILTERS.map((what) => (
            <option key={what} value={what}>
              {what.includes('.') ? nameChange(what) : `all of: ${nameChange(what)}`}
            </option>
          ))}
        </select>
      </label>
      {showsAccount && (
        <input
          type="search"
          aria-label="Name of an account"
          placeholder="Name of an account"
          maxLength={100}
          value={filter.account}
          onChange={(event) => onChoose('account', event.currentTarget.value)}
        />
      )}
      {(['from', 'to'] as const).map((name) => (
        <label key={name} class="day">
          <span class="quiet">{name === 'from' ? 'From' : 'To'}</span>
          <input
            type="date"
            value={filter[name]}
            onChange={(event) => onChoose(name, event.currentTarget.value)}
          />
        </label>
      ))}
    </form>
  );
}
