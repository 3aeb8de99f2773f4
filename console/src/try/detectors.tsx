// Shows each detector's score as a bar, with the thresholds of the three profiles.
import type { JSX } from 'preact';
import type { CheckResult } from '../../../src/library/check/result-schema.js';
import type { ProfileName } from '../../../src/library/check/types.js';
import type { ShownProfile } from '../../../src/service/console/shapes.js';
import { describeStrength } from '../../../src/library/check/verdict/strength.js';
import type { RecordedRates } from '../../../src/record/content/schema-sections.js';
import type { SignedRecord } from '../../../src/record/content/schema.js';
import { formatScore, SIGNAL_NAMES } from '../format.js';
import { describeRates } from '../rates.js';
import { PROFILE_HINTS, PROFILES, thresholdOf, type Detector } from './classify.js';

type Profiles = Readonly<Record<ProfileName, ShownProfile>>;

const WHY_NULL: Readonly<Record<Detector, string>> = {
  full_image_specialist: 'not run: Content Credentials decided',
  face_specialist: 'no face of 64 px or more in a photograph',
};

/** Returns the rates measured for this score, which the signed record contains; null without a record. */
function ratesOf({ details }: CheckResult, detector: Detector): RecordedRates | null {
  const record = details?.record as SignedRecord | undefined;
  return record?.record.scores?.[detector].rates ?? null;
}

/** Draws the bars and a switch between the profiles. */
export function Detectors(props: {
  result: CheckResult;
  profiles: Profiles;
  profile: ProfileName;
  onProfile: (profile: ProfileName) => void;
}): JSX.Element {
  const { result, profiles, profile, onProfile } = props;
  const isDecided = result.fired.includes('content_credentials');
  return (
    <section class="detectors" aria-labelledby="detectors-title">
      <h3 id="detectors-title">Scores against thresholds</h3>
      <fieldset class="profiles">
        <legend class="sr">Judge by the profile</legend>
        {PROFILES.map((name) => (
          <label key={name} title={PROFILE_HINTS[name]}>
            <input
              type="radio"
              name="profile"
              value={name}
              checked={name === profile}
              onChange={() => onProfile(name)}
            />
            <span>{name}</span>
          </label>
        ))}
      </fieldset>
      {(['full_image_specialist', 'face_specialist'] as const).map((detector) => (
        <Bar
          key={detector}
          detector={detector}
          score={result.scores[detector]}
          whyNull={isDecided ? WHY_NULL.full_image_specialist : WHY_NULL[detector]}
          thresholds={PROFILES.map((name) => ({
            name,
            threshold: thresholdOf(result, profiles[name], detector),
          }))}
          profile={profile}
          rates={ratesOf(result, detector)}
        />
      ))}
      <p class="quiet small">
        The two scores are on different scales: compare each only with its own threshold.
      </p>
    </section>
  );
}

function Bar(props: {
  detector: Detector;
  score: number | null;
  whyNull: string;
  thresholds: readonly { readonly name: ProfileName; readonly threshold: number }[];
  profile: ProfileName;
  rates: RecordedRates | null;
}) {
  const { detector, score, whyNull, thresholds, profile, rates } = props;
  const threshold = thresholds.find(({ name }) => name === profile)?.threshold ?? 1;
  const isFired = score !== null && score >= threshold;
  return (
    <div class={`bar-row${isFired ? ' fired' : ''}`}>
      <div class="bar-head">
        <span>{SIGNAL_NAMES[detector]}</span>
        {score === null ? (
          <span class="quiet">{whyNull}</span>
        ) : (
          <span class="figures">
            <strong>{describeStrength(score, threshold)}</strong> its threshold
          </span>
        )}
      </div>
      <div
        class="track"
        role="img"
        aria-label={
          score === null
            ? `${SIGNAL_NAMES[detector]}: ${whyNull}`
            : `${SIGNAL_NAMES[detector]}: score ${formatScore(score)}; thresholds ${thresholds
                .map((one) => `${one.name} ${formatScore(one.threshold)}`)
                .join(', ')}`
        }
      >
        {score !== null && <div class="fill" style={{ width: `${score * 100}%` }} />}
        {thresholds.map((one) => (
          <div
            key={one.name}
            class={`tick${one.name === profile ? ' chosen' : ''}`}
            style={{ left: `${one.threshold * 100}%` }}
          />
        ))}
      </div>
      <div class="tick-names" aria-hidden="true">
        {/* Reversed, so that the texts have the same order as the marks: the most sensitive profile has the lowest threshold. */}
        {[...thresholds].reverse().map((one) => (
          <span key={one.name} class={one.name === profile ? 'chosen' : ''}>
            {one.name}
          </span>
        ))}
      </div>
      {rates !== null && <p class="rates small">{describeRates(rates, detector === 'face_specialist')}</p>}
    </div>
  );
}
