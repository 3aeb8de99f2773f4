// The way in with a password.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call, explain } from '../api.js';
import { Mark } from '../frame.js';

/** Asks for address and password. */
export function SignIn({ onEnter }: { onEnter: () => Promise<void> }): JSX.Element {
  const [fault, setFault] = useState('');
  const [isBusy, setBusy] = useState(false);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    setBusy(true);
    call('POST', '/session', { email: fields.get('email'), password: fields.get('password') })
      .then(onEnter)
      .catch((error: unknown) => setFault(explain(error)))
      .finally(() => setBusy(false));
  };
  return (
    <main class="door">
      <h1>
        <Mark /> Telltale
      </h1>
      <form class="card" onSubmit={submit}>
        <h2>Sign in</h2>
        <label class="field">
          Email
          <input name="email" type="email" autocomplete="username" required autofocus />
        </label>
        <label class="field">
          Password
          <input name="password" type="password" autocomplete="current-password" required />
        </label>
        <p class="fault" role="alert">
          {fault}
        </p>
        <button type="submit" class="primary" disabled={isBusy}>
          Sign in
        </button>
        <p class="quiet small">
          No password yet, or forgotten? An owner of your account makes a new invitation for you.
        </p>
      </form>
    </main>
  );
}
