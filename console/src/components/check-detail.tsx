// One check of the history: what was found, the picture where it is kept, the record, and the report.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ShownCheck } from '../../../src/service/console/shapes.js';
import { call, explain } from '../api.js';
import { formatAnyScore, formatMoment, formatMs, tellSignals } from '../format.js';
import { Dialog, DialogFoot } from './dialog.js';
import { Fault } from './fault.js';
import { RecordButtons } from './record-buttons.js';
import { LABEL_NAMES, ReportDialog } from './report-dialog.js';

/** Shows it over the page; `onChange` tells that the report is another now. */
export function CheckDetail(props: {
  check: ShownCheck;
  onClose: () => void;
  onChange: () => void;
}): JSX.Element {
  const { check, onClose, onChange } = props;
  const [isReporting, setReporting] = useState(false);
  const [fault, setFault] = useState('');
  if (isReporting)
    return (
      <ReportDialog
        id={check.id}
        isStored={check.image_stored}
        onClose={() => setReporting(false)}
        onSent={onChange}
      />
    );
  const { full_image_specialist: whole, face_specialist: face } = check.scores;
  const takeBack = (): void => {
    setFault('');
    call('DELETE', `/checks/${check.id}/report`).then(onChange, (error: unknown) => setFault(explain(error)));
  };
  return (
    <Dialog title={check.is_ai ? 'AI detected' : 'No AI detected'} onClose={onClose}>
      {check.image_stored && (
        <img class="kept" src={`/console/api/checks/${check.id}/image`} alt="The picture that was checked" />
      )}
      <p>{check.reason ?? 'The reason was not kept with checks of that time.'}</p>
      <dl class="facts">
        <dt>Identifier</dt>
        <dd>
          <code>{check.id}</code>
        </dd>
        <dt>Time</dt>
        <dd>{formatMoment(check.at)}</dd>
        <dt>Fired</dt>
        <dd>{tellSignals(check.fired) || 'nothing'}</dd>
        <dt>Scores</dt>
        <dd>
          whole picture {formatAnyScore(whole)}, face {formatAnyScore(face)}
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
          {check.key ? (
            <>
              key {check.key.name} <code>{check.key.id}</code>
            </>
          ) : (
            `by hand, ${check.member ?? 'a former member'}`
          )}
        </dd>
        {check.report && (
          <>
            <dt>Reported</dt>
            <dd>
              {LABEL_NAMES[check.report.label]}, {formatMoment(check.report.at)}
              {check.report.note !== '' && (
                <>
                  <br />“{check.report.note}”
                </>
              )}
            </dd>
          </>
        )}
      </dl>
      <Fault fault={fault} />
      <DialogFoot close="Close" onClose={onClose}>
        <RecordButtons
          name={check.id}
          read={() => call('GET', `/checks/${check.id}/record`)}
          onFault={setFault}
        />
        {check.report && (
          <button type="button" class="plain" onClick={takeBack}>
            Take the report back
          </button>
        )}
        <button type="button" onClick={() => setReporting(true)}>
          {check.report ? 'Change the report' : 'Report a wrong verdict'}
        </button>
      </DialogFoot>
    </Dialog>
  );
}
