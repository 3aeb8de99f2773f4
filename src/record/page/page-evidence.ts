// Part of a record's page with evidence other than scores: Content Credentials, marks and warnings.
import { facts, html, shorten, type Html } from './markup.js';
import type { RecordContent } from '../content/schema.js';

/** Maximum lines of each list, so that the page fits on two sheets. The record's JSON has all lines. */
const MAX_LINES = 4;
const MAX_CHARACTERS = 110;

/** Returns the HTML of this part; empty for a refused image. */
export function drawEvidence({ content_credentials: credentials, marks, warnings }: RecordContent): Html {
  return html`${credentials && drawCredentials(credentials)}
  ${
    marks &&
    html`<section>
      <h2>What the file declares and the image shows</h2>
      ${
        marks.found.length === 0
          ? html`<p>Nothing was found${!marks.pixels_searched && '; the pixels were not searched'}.</p>`
          : drawLines(
              marks.found.map(({ kind, where, value }) => `${kind.replaceAll('_', ' ')}, ${where}: ${value}`),
            )
      }
    </section>`
  }
  ${
    warnings &&
    warnings.length > 0 &&
    html`<section>
      <h2>Bear in mind</h2>
      ${drawLines(warnings.map(({ message }) => message))}
    </section>`
  }`;
}

function drawCredentials({ manifest }: NonNullable<RecordContent['content_credentials']>): Html {
  if (manifest === null)
    return html`<section>
      <h2>Content Credentials</h2>
      <p>None are embedded, which is normal and says nothing either way.</p>
    </section>`;
  return html`<section>
    <h2>Content Credentials</h2>
    ${facts([
      ['State', manifest.state === 'verified' ? 'verified' : `${manifest.state}: they do not count`],
      ['Signed by', shorten(manifest.signer ?? 'nobody that could be read', MAX_CHARACTERS)],
      ['When', manifest.signed_at ?? 'no trusted time stamp says'],
      [
        'With',
        shorten(
          [manifest.claim_generator, manifest.tool].filter((name) => name !== null).join(', '),
          MAX_CHARACTERS,
        ),
      ],
      ['Says', manifest.ai_claim === null ? 'nothing of AI' : `AI: ${manifest.ai_claim}`],
      ['Trust', manifest.trust_tier === null ? 'on no trust list' : `${manifest.trust_tier} list`],
      ['Source types', shorten(manifest.digital_source_types.join(', '), MAX_CHARACTERS)],
    ])}
    ${drawLines([...manifest.manifests, ...manifest.validation_status])}
  </section>`;
}

function drawLines(lines: readonly string[]): Html {
  const hiddenLines = lines.length - MAX_LINES;
  return html`<ul>
    ${lines.slice(0, MAX_LINES).map((line) => html`<li>${shorten(line, MAX_CHARACTERS)}</li>`)}
    ${hiddenLines > 0 && html`<li>${hiddenLines} more ${hiddenLines === 1 ? 'is' : 'are'} in the JSON.</li>`}
  </ul>`;
}
