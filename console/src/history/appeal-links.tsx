// Links for appeals against a check: creating one, showing its address once, and revoking.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { CheckLinks, NewCheckLink, ShownCheck } from '../../../src/service/console/shapes.js';
import { call, messageOf } from '../api.js';
import { CopyButton } from '../components/copy-button.js';
import { Fault } from '../components/fault.js';
import { formatDay } from '../format.js';
import { useLoaded } from '../load.js';
import { follow } from '../location.js';

const STATES: Readonly<Record<CheckLinks['links'][number]['state'], string>> = {
  open: 'valid',
  used_up: 'all attempts used',
  expired: 'expired',
  revoked: 'revoked',
};

/** Draws the state of the check's appeals, its links, and a button that creates a link. */
export function AppealLinks({ check }: { check: ShownCheck }): JSX.Element {
  const path = `/checks/${check.id}/appeal-links`;
  const { data, error, reload } = useLoaded<CheckLinks>(path);
  const [made, setMade] = useState<NewCheckLink | null>(null);
  const [fault, setFault] = useState('');
  const act = (request: Promise<unknown>): void => {
    setFault('');
    request.then(reload, (problem: unknown) => setFault(messageOf(problem)));
  };
  const create = (): void => act(call<NewCheckLink>('POST', path, {}).then(setMade));
  return (
    <section class="appeal-links" aria-label="Appeals">
      {check.appeal !== null && (
        <p>
          {check.appeal === 'open' ? 'An appeal waits for a decision' : `The verdict was ${check.appeal}`}.{' '}
          <a href="/appeals" onClick={follow}>
            Appeals
          </a>
        </p>
      )}
      {made && (
        <div>
          <p>
            Give this link to the person who appeals. It shows this verdict and the image, until{' '}
            {formatDay(made.expires_at)}. <strong>It is not shown again.</strong>
          </p>
          <p class="secret">
            <code>{made.url}</code>
            <CopyButton text={made.url} />
          </p>
        </div>
      )}
      <Fault fault={error} />
      <Fault fault={fault} />
      {data && data.links.length > 0 && (
        <ul class="links" aria-label="Links for appeals">
          {data.links.map((link) => (
            <li key={link.id}>
              <span>
                Link of {formatDay(link.created_at)}: {STATES[link.state]}, until {formatDay(link.expires_at)}
                , {link.attempts_left} of 3 attempts left <code class="quiet">{link.id}</code>
              </span>
              {link.state !== 'revoked' && (
                <button type="button" class="plain" onClick={() => act(call('DELETE', `${path}/${link.id}`))}>
                  Revoke<span class="sr"> the link {link.id}</span>
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      <button type="button" onClick={create}>
        Create a link for an appeal
      </button>
    </section>
  );
}
