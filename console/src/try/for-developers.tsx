// The part of a result for developers: numbers, versions, JSON and the request.
import type { JSX } from 'preact';
import type { CheckResult } from '../../../src/library/check/result-schema.js';
import type { ProfileName } from '../../../src/library/check/types.js';
import type { ShownProfile } from '../../../src/service/console/shapes.js';
import type { Source } from '../api.js';
import { formatMs, formatScore, SIGNAL_NAMES } from '../format.js';
import { Code } from './code.js';
import { thresholdOf } from './classify.js';

/** Draws a section that can be opened: request and response, or only the request if there is no response. */
export function ForDevelopers(props: {
  result: CheckResult | null;
  source: Source;
  profile: ProfileName;
  bands: ShownProfile;
}): JSX.Element {
  const { result, source, profile, bands } = props;
  return (
    <details class="developers">
      <summary>For developers</summary>
      {result && <Numbers result={result} profile={profile} bands={bands} />}
      <Code result={result} source={source} />
    </details>
  );
}

function Numbers(props: { result: CheckResult; profile: ProfileName; bands: ShownProfile }) {
  const { result, profile, bands } = props;
  const { timings } = result.details ?? {};
  return (
    <dl class="facts numbers">
      <dt>Identifier</dt>
      <dd>
        <code>{result.id}</code>
      </dd>
      {(['full_image_specialist', 'face_specialist'] as const).map((detector) => {
        const score = result.scores[detector];
        const threshold = thresholdOf(result, bands, detector);
        return [
          <dt key={`${detector} name`}>{SIGNAL_NAMES[detector]}</dt>,
          <dd key={detector} class="figures">
            {score === null
              ? 'no score'
              : `${formatScore(score)} ${score >= threshold ? '≥' : '<'} ${formatScore(threshold)} (${profile})`}
          </dd>,
        ];
      })}
      <dt>Model, bands</dt>
      <dd>
        {result.model}, {result.bands_version}
      </dd>
      <dt>Took</dt>
      <dd>
        {formatMs(result.latency_ms)}
        {timings && (
          <span class="quiet">
            {' '}
            (
            {(['fetch', 'decode', 'credentials', 'faces', 'inference'] as const)
              .filter((stage) => timings[stage] >= 0.05)
              .map((stage) => `${stage} ${formatMs(timings[stage])}`)
              .join(', ')}
            )
          </span>
        )}
      </dd>
    </dl>
  );
}
