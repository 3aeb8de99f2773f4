// Shows earlier checks of the same image, and known images that match it.
import type { JSX } from 'preact';
import type { CheckResult } from '../../../src/library/check/result-schema.js';
import { OUTCOME_NAMES } from '../chip-words.js';
import { formatMoment } from '../format.js';
import { Tile } from '../history/tile.js';
import { follow } from '../location.js';

export type Seen = NonNullable<NonNullable<CheckResult['details']>['seen']>;

/** Draws the matches. Draws nothing for a result without matches. */
export function SeenBefore({ seen }: { seen: Seen | undefined }): JSX.Element | null {
  if (!seen || (seen.known === null && seen.checks.length === 0)) return null;
  return (
    <section aria-labelledby="seen-title">
      <h3 id="seen-title">Seen before</h3>
      <p class="quiet">
        Images that look the same. A retouched copy also looks the same, so this does not count.
      </p>
      <dl class="facts">
        {seen.known && (
          <>
            <dt>Known as {seen.known.label}</dt>
            <dd>
              {seen.known.note}
              {seen.known.source !== null && (
                <span class="quiet small own-line">
                  <a href={seen.known.source} rel="noreferrer noopener" target="_blank">
                    {seen.known.source}
                  </a>
                </span>
              )}
            </dd>
          </>
        )}
        {seen.checks.map((check) => (
          <Earlier key={check.id} check={check} />
        ))}
      </dl>
    </section>
  );
}

function Earlier({ check }: { check: Seen['checks'][number] }): JSX.Element {
  const { id, created_at: at, overturned, reported_is_ai: reported, ref, name, image_stored } = check;
  return (
    <>
      <dt>
        <Tile check={{ id, image_stored, colours: [] }} />
        {formatMoment(at)}
      </dt>
      <dd>
        {name !== null && <span class="own-line">{name}</span>}
        <a href={`/checks/${id}`} onClick={follow}>
          {OUTCOME_NAMES[overturned ? 'overturned' : check.assessment]}
        </a>
        {!overturned && reported !== null && `, reported as ${reported ? 'AI' : 'genuine'}`}
        {ref !== undefined && <span class="quiet small own-line">{ref}</span>}
      </dd>
    </>
  );
}
