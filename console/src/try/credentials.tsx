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
              value={credentials.ai_claim === null ? 'nothing of AI' : CLAIMS[credentials.ai_claim]}
            />
            <Step
              name="Trust"
              value={credentials.trust_tier === null ? 'on no trust list' : TIERS[credentials.trust_tier]}
            />
          </ol>
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
        : 'The signer is trusted and the image is unchanged. AI is recorded only for an ingredient whose signer is not verified, so the detectors decide.';
    case 'untrusted':
      return 'They do not count, because no trust list contains the signer, or the certificate has expired or was revoked.';
    case 'tampered':
      return 'They do not count, because the file was changed after it was signed.';
    case 'unreadable':
      return 'They do not count, because they are unreadable.';
  }
}
