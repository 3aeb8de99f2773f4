// Accounts that a person may enter, with a button each.
import type { JSX } from 'preact';
import type { ShownChoice } from '../../../src/service/console/shapes.js';

/** Draws the list. Entering an account that only invited the person also joins it. */
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
