// The list of accounts from which a person who signs in chooses one, with a button for each.
import type { JSX } from 'preact';
import type { ShownChoice } from '../../../src/service/console/shapes.js';

/** Draws the list. If the person has only been invited to an account, choosing it accepts the invitation. */
export function AccountList(props: {
  accounts: readonly (ShownChoice & { readonly is_member?: boolean })[];
  isBusy: boolean;
  onChoose: (id: string) => void;
}): JSX.Element {
  const { accounts, isBusy, onChoose } = props;
  return (
    <>
      {accounts.map(({ id, name, is_member }) => (
        <button key={id} type="button" disabled={isBusy} onClick={() => onChoose(id)}>
          {is_member === false ? 'Join' : 'Enter'} {name}
        </button>
      ))}
    </>
  );
}
