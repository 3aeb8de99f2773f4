// A dialog about one check of the history: findings, stored image, review, signed record and reports.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Me, ShownCheck } from '../../../src/service/console/shapes.js';
import { call, messageOf } from '../api.js';
import { chipOfCheck } from '../chip-words.js';
import { NEXT_STEPS } from '../next-steps.js';
import { Chip } from '../components/chip.js';
import {
  formatAnyScore,
  formatMoment,
  formatMs,
  nameScan,
  describeSignals,
  withoutVerdict,
} from '../format.js';
import { follow } from '../location.js';
import { Dialog, DialogFoot } from '../components/dialog.js';
import { Fault } from '../components/fault.js';
import { hasRole } from '../roles.js';
import { RecordButtons } from '../components/record-buttons.js';
import { LABEL_NAMES } from '../components/report-dialog.js';
import { Findings, StoredImage, useFindings } from './findings.js';
import { AppealLinks } from './appeal-links.js';
import { NoteForm } from './note-form.js';
import { nameOf } from './tile.js';

/** Functions that show a neighbour of the check in the list. */
export interface Steps {
  readonly previous: (() => void) | null;
  readonly next: (() => void) | null;
}

const NO_REASON = 'The reason of this check is not stored.';

/** Draws the dialog. Calls `onChange` after a change of the check's report or note. */
export function CheckDetail(props: {
  check: ShownCheck;
  me: Me;
  onClose: () => void;
  onChange: () => void;
  onReport: () => void;
  /** Function that erases the check; null if the person may not erase it. */
  onErase: (() => void) | null;
  onCopy: () => void;
  /** Result of copying the link; empty before. */
  statusMessage: string;
  /** Functions that show the check before and the next check of the list; null at its ends. */
  steps: Steps;
}): JSX.Element {
  const { check, me, onClose, onChange, onReport, onErase, onCopy, statusMessage, steps } = props;
  const [fault, setFault] = useState('');
  const { id } = check;
  const loaded = useFindings(id);
  const takeBack = (): void => {
    setFault('');
    call('DELETE', `/checks/${id}/report`).then(onChange, (error: unknown) => setFault(messageOf(error)));
  };
  return (
    <Dialog title={nameOf(check)} isRead onClose={onClose}>
      <StepButtons steps={steps} />
      <div class={`past${check.image_stored ? ' pictured' : ''}`}>
        {check.image_stored && <StoredImage check={check} me={me} loaded={loaded} />}
        <div class="about">
          <Verdict check={check} />
          <Review check={check} me={me} onChange={onChange} onFault={setFault} />
          <NoteForm key={check.note?.at ?? ''} check={check} onSaved={onChange} />
          <AppealLinks check={check} />
          <Facts check={check} />
        </div>
        <Findings check={check} me={me} loaded={loaded} />
      </div>
      <Fault fault={fault} />
      <p role="status">{statusMessage}</p>
      <DialogFoot close="Close" onClose={onClose}>
        <RecordButtons name={id} read={() => call('GET', `/checks/${id}/record`)} onFault={setFault} />
        <button type="button" class="plain" onClick={onCopy}>
          Copy link
        </button>
        {onErase && (
          <button type="button" class="plain" onClick={onErase}>
            Erase
          </button>
        )}
        {check.report && (
          <button type="button" class="plain" onClick={takeBack}>
            Take the report back
          </button>
        )}
        <button type="button" onClick={onReport}>
          {check.report ? 'Change the report' : 'Report a wrong verdict'}
        </button>
      </DialogFoot>
    </Dialog>
  );
}

/** Draws the verdict, its reason and the next step. */
function Verdict({ check }: { check: ShownCheck }): JSX.Element {
  const chip = chipOfCheck(check);
  return (
    <>
      <p>
        <Chip chip={chip} /> {chip.because}
      </p>
      <p>{check.reason === null ? NO_REASON : withoutVerdict(check.reason)}</p>
      {check.attention !== null && (
        <p>
          <strong>Next:</strong> {NEXT_STEPS[check.attention]}
        </p>
      )}
    </>
  );
}

/** Draws buttons that show the neighbours of the check in the list. */
function StepButtons({ steps: { previous, next } }: { steps: Steps }): JSX.Element {
  return (
    <nav class="steps" aria-label="Checks of the list">
      <button type="button" class="plain" disabled={previous === null} onClick={() => previous?.()}>
        ‹ Previous check
      </button>
      <button type="button" class="plain" disabled={next === null} onClick={() => next?.()}>
        Next check ›
      </button>
    </nav>
  );
}

/** Draws who reviews the check, and buttons to take or release the review. */
function Review(props: {
  check: ShownCheck;
  me: Me;
  onChange: () => void;
  onFault: (fault: string) => void;
}): JSX.Element {
  const { check, me, onChange, onFault } = props;
  const { id, claim } = check;
  const send = (method: 'PUT' | 'DELETE'): void => {
    onFault('');
    // If another member was faster, the reloaded list shows who has the review.
    call(method, `/checks/${id}/claim`)
      .catch((error: unknown) => onFault(messageOf(error)))
      .finally(onChange);
  };
  const isMine = claim?.member_id === me.member.id;
  return (
    <div class="actions" role="group" aria-label="Review">
      {claim && (
        <span class="quiet small">
          {isMine ? 'You took it' : `${claim.by} took it`}, {formatMoment(claim.at)}
        </span>
      )}
      {claim === null && (
        <button type="button" onClick={() => send('PUT')}>
          Take for review
        </button>
      )}
      {claim && (isMine || hasRole(me.member.role, 'owner')) && (
        <button type="button" class="plain" onClick={() => send('DELETE')}>
          Release
        </button>
      )}
    </div>
  );
}

function Facts({ check }: { check: ShownCheck }): JSX.Element {
  const { full_image_specialist: whole, face_specialist: face } = check.scores;
  return (
    <dl class="facts">
      {check.ref !== null && (
        <>
          <dt>Reference</dt>
          <dd>{check.ref}</dd>
        </>
      )}
      {check.scan !== null && (
        <>
          <dt>Scan</dt>
          <dd>
            <a href={`/scans/${check.scan}`} onClick={follow}>
              {nameScan(check.scan)}
            </a>
          </dd>
        </>
      )}
      <dt>Identifier</dt>
      <dd>
        <code>{check.id}</code>
      </dd>
      <dt>Time</dt>
      <dd>{formatMoment(check.at)}</dd>
      <dt>Flagged by</dt>
      <dd>{describeSignals(check.fired) || 'nothing'}</dd>
      <dt>Scores</dt>
      <dd>
        whole image {formatAnyScore(whole)}, face {formatAnyScore(face)}
      </dd>
      <dt>Profile</dt>
      <dd>{check.profile}</dd>
      <dt>Model, bands</dt>
      <dd>
        {check.model}, {check.bands_version}
      </dd>
      <dt>Took</dt>
      <dd>{formatMs(check.latency_ms)}</dd>
      <dt>Made with</dt>
      <dd>
        <Maker check={check} />
      </dd>
      {check.report && <ReportFact report={check.report} />}
    </dl>
  );
}

/** Draws who made the check: an API key, or a member in the console. */
function Maker({ check: { key, member } }: { check: ShownCheck }): JSX.Element {
  if (!key) return <>by hand, {member ?? 'a former member'}</>;
  return (
    <>
      key {key.name} <code>{key.id}</code>
    </>
  );
}

function ReportFact({ report }: { report: NonNullable<ShownCheck['report']> }): JSX.Element {
  return (
    <>
      <dt>Reported</dt>
      <dd>
        {LABEL_NAMES[report.label]}, {formatMoment(report.at)}
        {report.note !== '' && (
          <>
            <br />“{report.note}”
          </>
        )}
      </dd>
    </>
  );
}
