// The page that a one-time link opens. An invitation asks for a new password; a sign-in link signs in immediately.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ShownLink } from '../../../src/service/console/shapes.js';
import { call, messageOf } from '../api.js';
import { Fault } from '../components/fault.js';
import { textOf } from '../fields.js';
import { Mark } from '../frame.js';
import { follow, useNewLinks } from '../location.js';

/** Reads the token after `#`, which is never sent to a server, and removes it from the address bar. */
function readToken(): string {
  const token = window.location.hash.slice(1);
  window.history.replaceState(null, '', window.location.pathname);
  return token;
}

export function Invitation({ onEnter }: { onEnter: () => Promise<void> }): JSX.Element {
  const [token] = useState(readToken);
  useNewLinks();
  const [link, setLink] = useState<ShownLink | null>(null);
  const [fault, setFault] = useState('');
  const visit = (password?: string): Promise<void> =>
    call('POST', '/links/follow', { token, ...(password !== undefined && { password }) })
      .then(onEnter)
      .catch((error: unknown) => setFault(messageOf(error)));
  useEffect(() => {
    call<ShownLink>('POST', '/links/look', { token }).then(
      (shownLink) => {
        if (shownLink.purpose === 'sign_in') void visit();
        else setLink(shownLink);
      },
      (error: unknown) => setFault(messageOf(error)),
    );
  }, [token]);
  return (
    <main class="door">
      <h1>
        <Mark /> Telltale
      </h1>
      {link?.openid && <JoinByProvider link={link} />}
      {link?.openid === false && (
        <JoinByPassword link={link} fault={fault} onFault={setFault} onPassword={visit} />
      )}
      {!link && (
        <div class="card" aria-busy={fault === ''}>
          <h2>{fault === '' ? 'Signing in…' : 'This link does not work'}</h2>
          <p role="alert">{fault}</p>
          {fault !== '' && (
            <a href="/sign-in" onClick={follow}>
              Sign in with a password
            </a>
          )}
        </div>
      )}
    </main>
  );
}

function JoinByProvider({ link }: { link: ShownLink }): JSX.Element {
  return (
    <div class="card">
      <h2>Join {link.account}</h2>
      <p>
        Sign in as <strong>{link.email}</strong>, then choose the account.
      </p>
      <a class="button" href="/console/oidc/start">
        Sign in with your organisation
      </a>
    </div>
  );
}

function JoinByPassword(props: {
  link: ShownLink;
  fault: string;
  onFault: (fault: string) => void;
  onPassword: (password: string) => Promise<void>;
}): JSX.Element {
  const { link, fault, onFault, onPassword } = props;
  const [isBusy, setBusy] = useState(false);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    const password = textOf(fields, 'password');
    if (password !== textOf(fields, 'repeated')) {
      onFault('the two passwords differ');
      return;
    }
    setBusy(true);
    void onPassword(password).finally(() => setBusy(false));
  };
  return (
    <form class="card" onSubmit={submit}>
      <h2>Join {link.account}</h2>
      <input type="hidden" name="email" autocomplete="username" value={link.email} />
      <p>
        Choose a password for <strong>{link.email}</strong>.
      </p>
      <label class="field">
        Password <span class="quiet">at least 12 characters</span>
        <input name="password" type="password" autocomplete="new-password" minLength={12} required />
      </label>
      <label class="field">
        The same again
        <input name="repeated" type="password" autocomplete="new-password" required />
      </label>
      <Fault fault={fault} />
      <button type="submit" class="primary" disabled={isBusy}>
        Join
      </button>
    </form>
  );
}
