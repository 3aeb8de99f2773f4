// Shows the Content Credentials of an image: signer, time, tool, recorded use of AI, and why they count or not.
import type { JSX } from 'preact';
import type { Details } from '../../../src/library/check/details-schema.js';
import type { CheckResult } from '../../../src/library/check/result-schema.js';
import { formatMoment } from '../format.js';

type Found = NonNullable<Details['credentials']>;

const CLAIMS = {
  generated: 'AI generated this image',
  edited: 'AI edited this image',
  contains: 'the image contains AI-made regions',
} as const;

const TIERS = {
  official: 'the signer is on the official C2PA trust list',
  operator: "the signer is on this service's own trust list",
  interim: 'the signer is only on the closed interim list, which does not count',
} as const;

/** Draws the credentials of a result. */
export function Credentials({ result }: { result: CheckResult }): JSX.Element {
  const credentials = result.details?.credentials ?? null;
  const summary = result.content_credentials;
  return (
    <section aria-labelledby="credentials-title">
      <h3 id="credentials-title">Content Credentials</h3>
      {!summary.found || credentials === null ? (
        <p class="quiet">None are embedded. This is normal and says nothing about the image.</p>
      ) : (
        <>
          <p class={`counts ${summary.verified ? 'yes' : 'no'}`}>{explainCredentials(credentials, result)}</p>
          <ol class="chain">
            <Step name="Signed by" value={summary.signer ?? 'an unreadable signer'} />
            <Step
              name="When"
              value={
                credentials.signed_at === null
                  ? 'not proven by a trusted time stamp'
                  : formatMoment(credentials.signed_at)
              }
            />
            <Step name="With" value={namePrograms(credentials)} />
            <Step
              name="Says"
              value={credentials.ai_claim === null ? 'nothing about AI' : CLAIMS[credentials.ai_claim]}
            />
            <Step
              name="Trust"
              value={credentials.trust_tier === null ? 'on no trust list' : TIERS[credentials.trust_tier]}
            />
          </ol>
          <Chain steps={credentials.chain} />
          <details>
            <summary>
              {credentials.manifests.length === 1
                ? '1 manifest'
                : `${credentials.manifests.length} manifests`}
              , validation codes
            </summary>
            <ul class="codes">
              {[
                ...credentials.manifests,
                ...credentials.digital_source_types,
                ...credentials.validation_status,
              ].map((line) => (
                <li key={line}>
                  <code>{line}</code>
                </li>
              ))}
            </ul>
          </details>
        </>
      )}
    </section>
  );
}

/** Draws what each manifest records: its signer, actions and ingredients. */
function Chain({ steps }: { steps: Found['chain'] }): JSX.Element | null {
  if (steps.every(({ actions, ingredients }) => actions.length + ingredients.length === 0)) return null;
  return (
    <details open={steps.length <= 3}>
      <summary>What was recorded, newest first</summary>
      <ol class="steps-recorded">
        {steps.map((step) => (
          <li key={step.label}>
            <p>
              <strong>{step.signer ?? 'An unreadable signer'}</strong>
              {step.claim_generator !== null && `, with ${step.claim_generator}`}
            </p>
            <ul class="codes">
              {step.actions.map((action, at) => (
                <li key={at}>{describeAction(action)}</li>
              ))}
              {step.ingredients.map(({ title, relationship }, at) => (
                <li key={`ingredient ${at}`}>
                  {RELATIONS[relationship ?? ''] ?? 'made from'} {title ?? 'an unnamed file'}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
    </details>
  );
}

const RELATIONS: Readonly<Record<string, string>> = {
  parentOf: 'version of',
  componentOf: 'contains',
  inputTo: 'made with the input',
};

type Action = Found['chain'][number]['actions'][number];

/** Returns an action in words, such as `created with Painter (trainedAlgorithmicMedia), 2026-05-03T10:00:00Z`. */
function describeAction({ action, when, software, digital_source_type: type }: Action): string {
  const name = action.replace(/^c2pa\./, '').replaceAll('_', ' ');
  const source = type?.split('/').filter(Boolean).at(-1);
  return [
    `${name}${software === null ? '' : ` with ${software}`}${source === undefined ? '' : ` (${source})`}`,
    ...(when === null ? [] : [when]),
  ].join(', ');
}

function namePrograms({ claim_generator: generator, tool }: Found): string {
  return [generator, tool].filter((name) => name !== null).join(', ') || 'not named';
}

function Step({ name, value }: { name: string; value: string }) {
  return (
    <li>
      <span class="quiet">{name}</span> <span>{value}</span>
    </li>
  );
}

function explainCredentials(credentials: Found, { fired }: CheckResult): string {
  switch (credentials.state) {
    case 'verified':
      if (fired.includes('content_credentials'))
        return 'They count, because the signer is trusted and the image is unchanged. They decide the verdict, so no detector was run.';
      return credentials.ai_claim === null
        ? 'The signer is trusted and the image is unchanged. They record no AI, so the detectors decide.'
        : 'The signer is trusted and the image is unchanged. AI is recorded only in metadata that its signer does not vouch for, or in an ingredient whose signer is not verified, so the detectors decide.';
    case 'untrusted':
      return 'They do not count, because no trust list contains the signer, or the certificate has expired or was revoked.';
    case 'tampered':
      return 'They do not count, because the file was changed after it was signed.';
    case 'unreadable':
      return 'They do not count, because they are unreadable.';
  }
}
