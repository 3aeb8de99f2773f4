// The page Scans: starts a scan, lists all scans with their progress, and shows the scan that the address names.
import type { JSX } from 'preact';
import type { Me, ScanPage, ShownScan } from '../../../src/service/console/shapes.js';
import { DataTable } from '../components/data-table.js';
import { Fault } from '../components/fault.js';
import { MoreButton } from '../components/more-button.js';
import { PageHead } from '../components/page-head.js';
import { formatCount, formatMoment, nameScan } from '../format.js';
import { follow, path } from '../location.js';
import { usePages } from '../pages-of.js';
import { useStore } from '../store.js';
import { NewScan } from './new-scan.js';
import { ScanView } from './scan-view.js';

const LEAD = 'Checks many images in the background. Each checked image counts as a check.';

export function ScansPage({ me }: { me: Me }): JSX.Element {
  const openId = /^\/scans\/(.+)$/.exec(useStore(path))?.[1] ?? null;
  if (me.scans === null)
    return (
      <>
        <PageHead title="Scans" introduction={LEAD} />
        <section class="card">
          <p>
            <strong>This service has no scans:</strong> they need PostgreSQL (TELLTALE_DATABASE_URL) and a
            worker (<code>telltale worker</code>). The operator can set up both. Until then, Try accepts any
            number of images and checks two at a time.
          </p>
        </section>
      </>
    );
  if (openId !== null) return <ScanView key={openId} id={openId} me={me} />;
  return (
    <>
      <PageHead title="Scans" introduction={LEAD} />
      <NewScan limits={me.scans} service={me.service} />
      <Scans />
    </>
  );
}

function Scans() {
  const { pages, error, fault, loadMore } = usePages<ScanPage>('/scans', 'before');
  const scans = pages.flatMap((page) => page.scans);
  return (
    <section class="card flush">
      <Fault fault={error ?? fault} />
      <DataTable
        name="Scans so far"
        heads={['Scan', 'State', { number: 'Images' }, { number: 'Checked' }, { number: 'Failed' }, 'By']}
        empty="No scans so far."
      >
        {scans.map((scan) => (
          <tr key={scan.id}>
            <td>
              <a href={`/scans/${scan.id}`} onClick={follow}>
                {scan.name ?? nameScan(scan.id)}
              </a>
              <br />
              <span class="quiet small">{formatMoment(scan.created_at)}</span>
            </td>
            <td>{stateOf(scan)}</td>
            <td class="number">{formatCount(scan.counts.items)}</td>
            <td class="number">{formatCount(scan.counts.checked)}</td>
            <td class="number">{formatCount(scan.counts.failed)}</td>
            <td>{scan.by ?? 'a former member'}</td>
          </tr>
        ))}
      </DataTable>
      <MoreButton loadMore={loadMore} />
    </section>
  );
}

function stateOf({ state, counts: { items, waiting } }: ShownScan): string {
  return state === 'running' ? `running, ${Math.floor(((items - waiting) / items) * 100)}%` : state;
}
