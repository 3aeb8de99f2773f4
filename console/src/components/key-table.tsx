// A table of API keys with buttons to roll (renew) and revoke them.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ShownKey } from '../../../src/service/console/shapes.js';
import { formatDay, formatMoment } from '../format.js';
import { Confirm } from './confirm.js';
import { DataTable } from './data-table.js';

/** Draws the table. Calls `revoke` after the person has confirmed. */
export function KeyTable(props: {
  keys: readonly ShownKey[];
  showsAccount: boolean;
  revoke: (key: ShownKey) => Promise<unknown>;
  /** Function that rolls (renews) a key; null if keys can't be rolled here. */
  onRoll: ((key: ShownKey) => void) | null;
}): JSX.Element {
  const { keys, showsAccount, revoke, onRoll } = props;
  const [asked, setAsked] = useState<ShownKey | null>(null);
  return (
    <>
      <DataTable
        name="API keys"
        heads={[
          ...(showsAccount ? ['Account'] : []),
          'Name',
          'Identifier',
          'Scopes',
          'Plan',
          'Created',
          'Last used',
          'Expires',
        ]}
        hasActions
        empty="No keys yet."
      >
        {keys.map((key) => (
          <KeyRow key={key.id} shown={key} showsAccount={showsAccount} onRoll={onRoll} onRevoke={setAsked} />
        ))}
      </DataTable>
      {asked && (
        <Confirm
          title={`Revoke ${asked.name}?`}
          text={`Programs that use the key ${asked.id} are refused within a second. This can’t be undone.`}
          yes="Revoke"
          act={() => revoke(asked)}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  );
}

/** Draws the permissions of a key. A sandbox key gets a label instead. */
function Scopes({ of: { scopes } }: { of: ShownKey }): JSX.Element {
  if (!scopes.includes('sandbox')) return <>{scopes.join(', ')}</>;
  return (
    <span class="tag" title="tt_test_...: fixed results, never charged">
      sandbox
    </span>
  );
}

function KeyRow(props: {
  shown: ShownKey;
  showsAccount: boolean;
  onRoll: ((key: ShownKey) => void) | null;
  onRevoke: (key: ShownKey) => void;
}): JSX.Element {
  const { shown, showsAccount, onRoll, onRevoke } = props;
  const state = stateOf(shown);
  return (
    <tr class={state === null ? '' : 'over'}>
      {showsAccount && <td>{shown.account}</td>}
      <td>{shown.name}</td>
      <td>
        <code>{shown.id}</code>
      </td>
      <td>
        <Scopes of={shown} />
      </td>
      <td>{shown.plan}</td>
      <td>{formatDay(shown.created_at)}</td>
      <td>{shown.last_used_at === null ? 'never' : formatMoment(shown.last_used_at)}</td>
      <td>{shown.expires_at === null ? 'never' : formatMoment(shown.expires_at)}</td>
      <td class="end">
        {state}
        {state === null && onRoll && (
          <button type="button" class="plain" onClick={() => onRoll(shown)}>
            Roll<span class="sr"> {shown.name}</span>
          </button>
        )}
        {state === null && (
          <button type="button" class="plain danger" onClick={() => onRevoke(shown)}>
            Revoke<span class="sr"> {shown.name}</span>
          </button>
        )}
      </td>
    </tr>
  );
}

/** Returns a word for the state of a key; null if the key is active. */
function stateOf({ revoked_at: revoked, expires_at: expires }: ShownKey): string | null {
  if (revoked !== null) return 'revoked';
  return expires !== null && new Date(expires) <= new Date() ? 'expired' : null;
}
