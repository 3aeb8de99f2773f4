// The page for signing in.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { OpenIdFaultCode } from '../../../src/service/console/openid.js';
import type { PasswordChoice, ShownChoice, SignInWays } from '../../../src/service/console/shapes.js';
import { call, messageOf } from '../api.js';
import { AccountList } from '../components/account-list.js';
import { Fault } from '../components/fault.js';
import { Mark } from '../frame.js';

/** Messages for errors of sign-in with the organisation's identity provider. */
const OPENID_FAULTS: Readonly<Record<OpenIdFaultCode, string>> = {
  unreachable:
    'Your organisation’s sign-in does not respond. Try again in a moment, or ask its administrators.',
  not_begun: 'This sign-in was started in another browser, or took more than 10 minutes. Start again.',
  denied: 'Your organisation’s sign-in refused you.',
  failed: 'The response of your organisation’s sign-in was not valid. Start again.',
  unverified: 'Your organisation’s sign-in has not verified your email address. Ask its administrators.',
  no_member:
    'There is no member with your verified email address. Ask an owner of your account to invite you. Until then, sign in with your password if you have one.',
};

/** Returns the message for the error code in the page's address, or an empty string. */
function readFault(): string {
  const code = new URLSearchParams(window.location.search).get('fault');
  return Object.entries(OPENID_FAULTS).find(([known]) => known === code)?.[1] ?? '';
}

/** Returns whether people can sign in with the organisation's identity provider. */
function useOpenIdOffer(): boolean {
  const [hasOpenId, setOpenId] = useState(false);
  useEffect(() => {
    // If the request fails, only the password form is shown.
    call<SignInWays>('GET', '/sign-in').then(
      ({ openid }) => setOpenId(openid),
      () => undefined,
    );
  }, []);
  return hasOpenId;
}

/** Draws a form for e-mail address and password, and a link to the identity provider if it is configured. */
export function SignIn({ onEnter }: { onEnter: () => Promise<void> }): JSX.Element {
  const [fault, setFault] = useState(readFault);
  const hasOpenId = useOpenIdOffer();
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const [accounts, setAccounts] = useState<readonly ShownChoice[]>([]);
  const enter = (account_id?: string): void => {
    const fields = new FormData(form.current ?? undefined);
    setBusy(true);
    call<PasswordChoice | null>('POST', '/session', {
      email: fields.get('email'),
      password: fields.get('password'),
      ...(account_id !== undefined && { account_id }),
    })
      .then(async (choice) => {
        setFault('');
        if (choice) setAccounts(choice.accounts);
        else await onEnter();
      })
      .catch((error: unknown) => setFault(messageOf(error)))
      .finally(() => setBusy(false));
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    enter();
  };
  return (
    <main class="door">
      <h1>
        <Mark /> Telltale
      </h1>
      <form ref={form} class="card" onSubmit={submit}>
        <h2>Sign in</h2>
        <label class="field">
          Email
          <input name="email" type="email" autocomplete="username" required autofocus />
        </label>
        <label class="field">
          Password
          <input name="password" type="password" autocomplete="current-password" required />
        </label>
        <Fault fault={fault} />
        <button type="submit" class="primary" disabled={isBusy}>
          Sign in
        </button>
        <AccountList accounts={accounts} isBusy={isBusy} onChoose={enter} />
        {hasOpenId && (
          <a class="button" href="/console/oidc/start">
            Sign in with your organisation
          </a>
        )}
        <p class="quiet small">
          No password yet, or forgotten? Ask an owner of your account for a new invitation.
        </p>
      </form>
    </main>
  );
}
