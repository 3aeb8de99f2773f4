// An appeal for those who decide it and for the account: both images side by side, the verdict, and the differences.
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { assessmentOf, HEADLINES } from '../../../src/library/check/verdict/assessment.js';
import type { ShownAppeal } from '../../../src/service/console/shapes.js';
import {
  describeDecision,
  describeSignals,
  formatAnyScore,
  formatMoment,
  withoutVerdict,
} from '../format.js';
import { AppealFacts } from './appeal-facts.js';

/** Draws an appeal. `imagePath` is the address of the checked image, if it is stored. */
export function AppealCard(props: {
  appeal: ShownAppeal;
  title: string;
  imagePath: string;
  children?: ComponentChildren;
}): JSX.Element {
  const { appeal, title, imagePath, children } = props;
  const { decision, withdrawn_at: withdrawnAt, check, remark } = appeal;
  return (
    <article class="card" aria-label={`Appeal ${appeal.id}`}>
      <h2>{title}</h2>
      <p class="quiet small">
        <code>{appeal.check_id}</code>, checked {formatMoment(check.created_at)}; appeal{' '}
        <code>{appeal.id}</code> by {appeal.by === 'link' ? 'a link' : 'the account'},{' '}
        {formatMoment(appeal.created_at)}
      </p>
      <Images appeal={appeal} path={imagePath} />
      {remark !== '' && <p>The person who appeals writes: “{remark}”</p>}
      <dl class="facts">
        <dt>Result</dt>
        <dd>
          {HEADLINES[check.assessment]}
          {check.fired.length > 0 && `, flagged by ${describeSignals(check.fired)}`}.{' '}
          {check.reason === null ? '' : withoutVerdict(check.reason)}
        </dd>
      </dl>
      <Differences appeal={appeal} />
      <AppealFacts findings={appeal} />
      {decision === null && withdrawnAt === null && check.fired.includes('face_specialist') && (
        <SwapWarning />
      )}
      {withdrawnAt !== null && <p>The sender withdrew the appeal, {formatMoment(withdrawnAt)}.</p>}
      {decision && (
        <p>
          The verdict was {describeDecision(decision.outcome)}, {formatMoment(decision.at)}
          {decision.remark !== '' && `: “${decision.remark}”`}
        </p>
      )}
      {children}
    </article>
  );
}

/** Warns that an original looks genuine by nature if the checked image is a face swap. */
export function SwapWarning(): JSX.Element {
  return (
    <div class="card warning" role="note">
      <p>
        <strong>The verdict is about the face.</strong> A face swap changes only the face of a genuine
        photograph. The photograph from before the swap therefore looks genuine and shows the same scene: that
        alone does not speak against the verdict. Compare the faces in both images. Overturn the verdict only
        if they show the same, unchanged face.
      </p>
    </div>
  );
}

/** Draws both images side by side. A frame shows the part of the original that the checked image shows. */
function Images({ appeal, path }: { appeal: ShownAppeal; path: string }): JSX.Element {
  const [isMissing, setMissing] = useState(!appeal.check.image_stored);
  const { preview, comparison } = appeal;
  const [x = 0, y = 0, width = 1, height = 1] = comparison.crop ?? [];
  const share = (part: number): string => `${100 * part}%`;
  return (
    <div class="sides">
      <figure>
        {isMissing ? (
          <p class="quiet">The checked image is not stored. Only its hash was compared.</p>
        ) : (
          <img src={path} alt="The checked image" onError={() => setMissing(true)} />
        )}
        <figcaption>Checked image</figcaption>
      </figure>
      <figure>
        {preview === null ? (
          <p class="quiet">No preview of the original is stored.</p>
        ) : (
          <div class="framed">
            <img src={`data:image/jpeg;base64,${preview}`} alt="The original" />
            {comparison.crop !== null && width * height < 0.99 && (
              <span
                class="frame"
                style={{ left: share(x), top: share(y), width: share(width), height: share(height) }}
              />
            )}
          </div>
        )}
        <figcaption>
          Original as sent
          {comparison.crop !== null && width * height < 0.99 && '; the frame is the part that was checked'}
        </figcaption>
      </figure>
    </div>
  );
}

/** Draws what differs between the checked image and the original. */
function Differences({ appeal }: { appeal: ShownAppeal }): JSX.Element {
  const { check, original, comparison } = appeal;
  const rows: readonly [string, string, string][] = [
    ['Result', HEADLINES[check.assessment], HEADLINES[assessmentOf(original)]],
    ...(['full_image_specialist', 'face_specialist'] as const).map((name): [string, string, string] => [
      name === 'face_specialist' ? 'Score of the face' : 'Score of the whole image',
      formatAnyScore(check.scores[name]),
      formatAnyScore(original.scores[name]),
    ]),
  ];
  return (
    <>
      <table class="compared">
        <caption class="sr">What differs between both images</caption>
        <thead>
          <tr>
            <td />
            <th scope="col">Checked</th>
            <th scope="col">Original</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, was, is]) => (
            <tr key={name} class={was === is ? '' : 'differs'}>
              <th scope="row">{name}</th>
              <td>{was}</td>
              <td>{is}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="quiet small">
        {(100 * comparison.difference).toFixed(1)}% of the bits of both hashes differ; the same scene differs
        in at most 25%. This comparison does not find a retouched or swapped face.
      </p>
    </>
  );
}
