// A form with which the operator creates an account.
import type { JSX } from 'preact';
import { textOf } from '../fields.js';

/** Fields of the form. */
export interface NewAccount {
  readonly name: string;
  readonly plan: string;
}

/** Draws the form. Empties it after the account was created. */
export function NewAccountForm({
  plans,
  onCreate,
}: {
  plans: readonly string[];
  onCreate: (account: NewAccount) => Promise<unknown>;
}): JSX.Element {
  const create = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const fields = new FormData(form);
    void onCreate({ name: textOf(fields, 'name').trim(), plan: textOf(fields, 'plan') }).then(
      () => form.reset(),
      () => undefined,
    );
  };
  return (
    <form class="filters inside" onSubmit={create}>
      <input
        name="name"
        required
        maxLength={100}
        placeholder="name of a new account"
        aria-label="Name of a new account"
      />
      <select name="plan" aria-label="Plan of the new account">
        {plans.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <button type="submit">Create the account</button>
    </form>
  );
}
