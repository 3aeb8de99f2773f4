// Each detector's score as a bar against the thresholds of the three profiles.
import type { JSX } from 'preact';
import type { CheckResult } from '../../../src/check/present.js';
import type { ProfileName } from '../../../src/check/types.js';
import type { ShownProfile } from '../../../src/console/shapes.js';
import { formatScore, formatShare, SIGNAL_NAMES } from '../format.js';
import { PROFILE_HINTS, PROFILES } from './judge.js';

type Profiles = Readonly<Record<ProfileName, ShownProfile>>;
type Detector = 'full_image_specialist' | 'face_specialist';

const WHY_NULL: Readonly<Record<Detector, string>> = {
  full_image_specialist: 'not run: Content Credentials decided',
  face_specialist: 'no photographed face of 64 px or more',
};

/** The bars, and the switch between profiles. */
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
          profiles={profiles}
          profile={profile}
        />
      ))}
      <p class="quiet small">
        The two scores are on different scales: compare each with its own threshold only. With {profile},{' '}
        {formatShare(profiles[profile].full_image_specialist.false_alarm_rate)} of genuine pictures and{' '}
        {formatShare(profiles[profile].face_specialist.false_alarm_rate)} of genuine faces were false alarms
        when it was measured.
      </p>
    </section>
  );
}

function Bar(props: {
  detector: Detector;
  score: number | null;
  whyNull: string;
  profiles: Profiles;
  profile: ProfileName;
}) {
  const { detector, score, whyNull, profiles, profile } = props;
  const threshold = profiles[profile][detector].threshold;
  const isFired = score !== null && score >= threshold;
  return (
    <div class={`bar-row${isFired ? ' fired' : ''}`}>
      <div class="bar-head">
        <span>{SIGNAL_NAMES[detector]}</span>
        {score === null ? (
          <span class="quiet">{whyNull}</span>
        ) : (
          <span class="figures">
            <strong>{formatScore(score)}</strong> {isFired ? '≥' : '<'} {formatScore(threshold)}
          </span>
        )}
      </div>
      <div
        class="track"
        role="img"
        aria-label={
          score === null
            ? `${SIGNAL_NAMES[detector]}: ${whyNull}`
            : `${SIGNAL_NAMES[detector]}: score ${formatScore(score)}; thresholds ${PROFILES.map(
                (name) => `${name} ${formatScore(profiles[name][detector].threshold)}`,
              ).join(', ')}`
        }
      >
        {score !== null && <div class="fill" style={{ width: `${score * 100}%` }} />}
        {PROFILES.map((name) => (
          <div
            key={name}
            class={`tick${name === profile ? ' chosen' : ''}`}
            style={{ left: `${profiles[name][detector].threshold * 100}%` }}
          />
        ))}
      </div>
      <div class="tick-names" aria-hidden="true">
        {PROFILES.map((name) => (
          <span key={name} class={name === profile ? 'chosen' : ''}>
            {name} {formatScore(profiles[name][detector].threshold)}
          </span>
        ))}
      </div>
    </div>
  );
}
