// Shows one scan: progress, results and failed images.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { OUTCOMES } from '../../../src/accounts/history/outcomes.js';
import { OUTCOME_NAMES } from '../chip-words.js';
import type { Me, ShownScanDetail } from '../../../src/service/console/shapes.js';
import { call } from '../api.js';
import { Confirm } from '../components/confirm.js';
import { Fault } from '../components/fault.js';
import { PageHead } from '../components/page-head.js';
import { formatCount, formatMoment, formatWait, nameScan } from '../format.js';
import { useLoaded } from '../load.js';
import { follow } from '../location.js';
import { useStore } from '../store.js';
import { Failures } from './failures.js';
import { Results } from './results.js';
import { goOn, sendings, stopSending } from './sending.js';

/** Pause in milliseconds between two requests for the state of a running scan. */
const POLL_MS = 2000;

/** Draws the scan with this identifier. */
export function ScanView({ id, me }: { id: string; me: Me }): JSX.Element {
  const { data: scan, error, reload } = useLoaded<ShownScanDetail>(`/scans/${encodeURIComponent(id)}`);
  const [isAsking, setAsking] = useState(false);
  const isLive = scan?.state === 'queued' || scan?.state === 'running';
  useEffect(() => {
    if (!isLive) return undefined;
    const timer = window.setInterval(reload, POLL_MS);
    return () => window.clearInterval(timer);
  }, [isLive]);
  const title = scan?.name ?? nameScan(id);
  return (
    <>
      <PageHead title={title.charAt(0).toUpperCase() + title.slice(1)}>
        <a href="/scans" onClick={follow}>
          All scans
        </a>
        {isLive && (
          <button type="button" class="danger" onClick={() => setAsking(true)}>
            Cancel the scan
          </button>
        )}
        <button type="button" onClick={() => window.print()}>
          Print
        </button>
      </PageHead>
      <Fault fault={error} />
      {scan && (
        <>
          <Progress scan={scan} />
          <Results scan={scan} me={me} />
          {scan.counts.failed > 0 && <Failures key={`failed ${scan.counts.failed}`} id={id} />}
        </>
      )}
      {isAsking && (
        <Confirm
          title="Cancel this scan?"
          text="Finished results stay and are charged. Nothing more is checked or charged."
          confirmLabel="Cancel the scan"
          act={() =>
            call('DELETE', `/scans/${id}`).then(() => {
              stopSending(id);
              reload();
            })
          }
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

function Progress({ scan }: { scan: ShownScanDetail }) {
  const { counts, assessments } = scan;
  const finishedCount = counts.checked + counts.failed;
  const facts: [string, number][] = [
    ...OUTCOMES.map((name): [string, number] => [OUTCOME_NAMES[name], assessments[name]]),
    ['Not checked', counts.failed],
  ];
  return (
    <section class="card" aria-label="Progress">
      <p role="status">
        <strong>{describeState(scan)}</strong>
      </p>
      <progress aria-label="Answered" max={counts.items} value={finishedCount} />
      <dl class="tally">
        {facts.map(([name, count]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{formatCount(count)}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet small">
        Begun {formatMoment(scan.created_at)} by {scan.by ?? 'a former member'}, profile {scan.profile}
        {scan.ended_at !== null && `; ended ${formatMoment(scan.ended_at)}`}. <code>{scan.id}</code>
      </p>
      <SendingNote scan={scan} />
    </section>
  );
}

function describeState({ state, reason, counts, seconds_left: left }: ShownScanDetail): string {
  const of = `${formatCount(counts.checked + counts.failed)} of ${formatCount(counts.items)}`;
  switch (state) {
    case 'queued':
      return `${of}: waiting for a worker`;
    case 'running':
      return `${of} answered${left === null ? '' : `, about ${formatWait(left)} left`}`;
    case 'cancelled':
      return `Cancelled after ${of}: ${reason ?? ''}`;
    case 'finished':
      return `Finished: ${of}`;
  }
}

/** Draws the state of an upload that runs in this browser tab: its error, or a note to keep the tab open. */
function SendingNote({ scan }: { scan: ShownScanDetail }) {
  const sending = useStore(sendings)[scan.id];
  if (!scan.is_uploaded || scan.state !== 'running') return null;
  if (!sending)
    return (
      <p class="fault">
        {scan.is_mine
          ? 'The page that was sending the images was closed. Cancel the scan, and start a new one with the missing images. It ends automatically after an hour.'
          : 'The page of the person who started it is sending the images.'}
      </p>
    );
  if (sending.fault === '')
    return (
      <p class="quiet">
        This page is sending the images. Keep it open. You can use other pages of the console.
      </p>
    );
  return (
    <>
      <Fault fault={`It halted: ${sending.fault}`} />
      <button type="button" onClick={() => goOn(scan.id)}>
        Go on
      </button>
    </>
  );
}
