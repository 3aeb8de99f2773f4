// Lists the results of a scan, worst first. Labels and filters are the same as on the page Checks.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Me, FailurePage, ShownScanDetail } from '../../../src/service/console/shapes.js';
import { call, messageOf } from '../api.js';
import { Fault } from '../components/fault.js';
import { saveCsv } from '../save-file.js';
import { CheckList } from '../history/check-list.js';
import { rowsOf } from '../history/check-rows.js';
import { readFilter, writeFilter, type FilterName } from '../history/filter.js';
import { Filters } from '../history/filters.js';
import { loadAll, useHistory } from '../history/history.js';
import { query, stayAt } from '../location.js';
import { useStore } from '../store.js';

/** Number of checks per page of the service. */
const FIRST_PAGE = 50;

/** Draws the list and its filters, which are stored in the page's address. Can save the list as a file. */
export function Results({ scan, me }: { scan: ShownScanDetail; me: Me }): JSX.Element {
  const filter = { ...readFilter(useStore(query)), scan: scan.id, order: 'worst' };
  const [round, setRound] = useState(0);
  const history = useHistory(filter, round);
  const { checked } = scan.counts;
  useEffect(() => {
    // Reloads only if the person has not loaded further pages, which would be lost.
    if ((history.checks?.length ?? 0) <= FIRST_PAGE) setRound(checked);
  }, [checked]);
  const [statusMessage, setStatusMessage] = useState('');
  if (me.service.history_days === 0)
    return (
      <section class="card">
        <p>
          This service stores no history (TELLTALE_HISTORY_DAYS is 0), so the results are not shown. Programs
          read them from <code>/v1/scans/{scan.id}/results</code>.
        </p>
      </section>
    );
  const narrow = (name: FilterName, value: string): void =>
    stayAt(`/scans/${scan.id}${writeFilter({ ...readFilter(query.get()), [name]: value })}`);
  const save = (): void => {
    setStatusMessage('');
    Promise.all([loadAll(filter), loadFailures(scan.id)]).then(
      ([checks, failures]) => saveCsv(`telltale-${scan.id}.csv`, [...rowsOf(checks), ...failures]),
      (error: unknown) => setStatusMessage(messageOf(error)),
    );
  };
  return (
    <>
      <div class="page-head">
        <h2>Results, worst first</h2>
        <button type="button" onClick={save}>
          Save as CSV
        </button>
      </div>
      <Filters filter={filter} onChoose={narrow} />
      <Fault fault={history.error ?? statusMessage} />
      {history.checks && (
        <CheckList
          isOfScan
          checks={history.checks}
          linkOf={(id) => `/checks/${id}${writeFilter(filter)}`}
          loadMore={history.loadMore}
        />
      )}
    </>
  );
}

/** Loads the failed images as rows with the columns of checks: id, time, name, ref, result, flagged, why, reason. */
async function loadFailures(id: string): Promise<string[][]> {
  const rows: string[][] = [];
  for (let after: string | null = '0'; after !== null;) {
    const page: FailurePage = await call('GET', `/scans/${id}/failures?after=${after}`);
    rows.push(
      ...page.failures.map(({ line, ref, code, message }) => [
        '',
        '',
        `line ${line}`,
        ref ?? '',
        'Not checked',
        '',
        code,
        message,
      ]),
    );
    after = page.next;
  }
  return rows;
}
