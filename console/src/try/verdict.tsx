// Shows the headline with a colour, the reason, and what the verdict does not prove.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { CheckResult } from '../../../src/library/check/result-schema.js';
import type { ProfileName, Warning } from '../../../src/library/check/types.js';
import { describeShares } from '../../../src/library/check/verdict/assessment.js';
import type { Me } from '../../../src/service/console/shapes.js';
import { Fault } from '../components/fault.js';
import { RecordButtons } from '../components/record-buttons.js';
import { ReportDialog } from '../components/report-dialog.js';
import { assessmentOfResult, attentionOf, chipOf } from '../chip-words.js';
import { NEXT_STEPS } from '../next-steps.js';
import { asSentence, describeSignals, withoutVerdict } from '../format.js';
import { Accepted } from './accepted.js';
import { Credentials } from './credentials.js';
import { Detectors } from './detectors.js';
import { isRetriable, noteReport, retry, type Item } from './items.js';
import { classify } from './classify.js';
import { Marks } from './marks.js';
import { SeenBefore } from './seen.js';
import { describeCharge, isAboutImage } from './refusals.js';
import type { ApiError } from '../api.js';

type Service = Me['service'];

/** Draws all parts of a result that are shown next to the image. */
export function Verdict(props: {
  item: Item;
  result: CheckResult;
  isReported: boolean;
  service: Service;
  profile: ProfileName;
  onProfile: (profile: ProfileName) => void;
}): JSX.Element {
  const { item, result, isReported, service, profile, onProfile } = props;
  const { isAi, fired, reason } = classify(result, profile, service.profiles[profile]);
  const attention = attentionOf(result, isAi, service.profiles.sensitive);
  const chip = chipOf(assessmentOfResult(result), attention);
  const { warnings = [] } = result.details ?? {};
  return (
    <div class="findings">
      <section class={`verdict ${chip.kind}`} aria-live="polite">
        <h2>{chip.word}</h2>
        {fired.length > 0 && <p class="by">by {describeSignals(fired)}</p>}
        {chip.because !== null && <p class="by">{chip.because}</p>}
        <p>{withoutVerdict(reason)}</p>
        {attention !== null && (
          <p>
            <strong>Next:</strong> {NEXT_STEPS[attention]}
          </p>
        )}
        <MeasuredShares result={result} />
        {profile !== result.profile && (
          <p class="quiet small">
            Judged again by {profile}; the check itself was made with {result.profile}.
          </p>
        )}
      </section>
      {chip.kind === 'no_ai_detected' && (
        <aside class="caveat">
          <strong>Not proof that the image is genuine.</strong> It means that no detector flagged the image.
          The detectors miss some AI images, most often images of unknown generators, small retouched regions,
          and resized or compressed images.
        </aside>
      )}
      <Detectors result={result} profiles={service.profiles} profile={profile} onProfile={onProfile} />
      {warnings.length > 0 && <Warnings warnings={warnings} />}
      <Credentials result={result} />
      <Marks result={result} />
      <SeenBefore seen={result.details?.seen} />
      <ThisCheck item={item} result={result} isReported={isReported} service={service} />
    </div>
  );
}

/** Draws how many test images with this headline were AI, unless other evidence than a score decided. */
function MeasuredShares({ result: { details } }: { result: CheckResult }): JSX.Element | null {
  const rates = details?.assessment_rates;
  if (!rates) return null;
  return <p class="small">{describeShares(rates.at_1_in_10, rates.at_1_in_2)}</p>;
}

/** Draws the warnings of a result. */
export function Warnings({ warnings }: { warnings: readonly Warning[] }): JSX.Element {
  return (
    <section aria-labelledby="warnings-title">
      <h3 id="warnings-title">Bear in mind</h3>
      <ul class="warnings">
        {warnings.map(({ code, message }) => (
          <li key={code}>{message}</li>
        ))}
      </ul>
    </section>
  );
}

/** Draws whether the image was stored, buttons to save the record, and a button to report the verdict as wrong. */
function ThisCheck(props: {
  item: Item;
  result: CheckResult;
  isReported: boolean;
  service: Service;
}): JSX.Element {
  const { item, result, isReported, service } = props;
  const [isReporting, setReporting] = useState(false);
  const [fault, setFault] = useState('');
  return (
    <>
      <section aria-labelledby="check-title">
        <h3 id="check-title">This check</h3>
        <dl class="facts">
          <dt>Image</dt>
          <dd>{result.image_stored ? `kept for ${service.store_days} days` : 'not kept'}</dd>
        </dl>
        <div class="actions">
          <RecordButtons
            name={result.id}
            read={() => Promise.resolve(result.details?.record)}
            onFault={setFault}
          />
          {service.history_days > 0 && (
            <button type="button" onClick={() => setReporting(true)} disabled={isReported}>
              {isReported ? 'Reported, thank you' : 'Report a wrong verdict'}
            </button>
          )}
        </div>
        <Fault fault={fault} />
      </section>
      {isReporting && (
        <ReportDialog
          id={result.id}
          isAi={result.is_ai}
          isStored={result.image_stored}
          onClose={() => setReporting(false)}
          onSent={() => {
            noteReport(item);
            setReporting(false);
          }}
        />
      )}
    </>
  );
}

/** Draws why an image was not checked. Adds the accepted formats if another image would help. */
export function Refusal({ item, error }: { item: Item; error: ApiError }): JSX.Element {
  const charge = describeCharge(error);
  const [fault, setFault] = useState('');
  return (
    <div class="findings">
      <section class="verdict refused" aria-live="polite">
        <h2>Not checked</h2>
        <p>{asSentence(error.message)}</p>
        {charge !== null && <p class="quiet small">{charge}</p>}
        {isRetriable(item) && (
          <button type="button" onClick={() => retry([item])}>
            Try again
          </button>
        )}
        {error.record !== null && (
          <div class="actions">
            <RecordButtons name="refusal" read={() => Promise.resolve(error.record)} onFault={setFault} />
          </div>
        )}
        <Fault fault={fault} />
      </section>
      {isAboutImage(error) && <Accepted />}
    </div>
  );
}
