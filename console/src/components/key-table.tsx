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
  const [keyToRevoke, setKeyToRevoke] = useState<ShownKey | null>(null);
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
          <KeyRow
            key={key.id}
            shownKey={key}
            showsAccount={showsAccount}
            onRoll={onRoll}
            onRevoke={setKeyToRevoke}
          />
        ))}
      </DataTable>
      {keyToRevoke && (
        <Confirm
          title={`Revoke ${keyToRevoke.name}?`}
          text={`Programs that use the key ${keyToRevoke.id} are refused within a second. This can’t be undone.`}
          confirmLabel="Revoke"
          act={() => revoke(keyToRevoke)}
          onClose={() => setKeyToRevoke(null)}
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
  shownKey: ShownKey;
  showsAccount: boolean;
  onRoll: ((key: ShownKey) => void) | null;
  onRevoke: (key: ShownKey) => void;
}): JSX.Element {
  const { shownKey, showsAccount, onRoll, onRevoke } = props;
  const state = stateOf(shownKey);
  return (
    <tr class={state === null ? '' : 'over'}>
      {showsAccount && <td>{shownKey.account}</td>}
      <td>{shownKey.name}</td>
      <td>
        <code>{shownKey.id}</code>
      </td>
      <td>
        <Scopes of={shownKey} />
      </td>
      <td>{shownKey.plan}</td>
      <td>{formatDay(shownKey.created_at)}</td>
      <td>{shownKey.last_used_at === null ? 'never' : formatMoment(shownKey.last_used_at)}</td>
      <td>{shownKey.expires_at === null ? 'never' : formatMoment(shownKey.expires_at)}</td>
      <td class="end">
        {state}
        {state === null && onRoll && (
          <button type="button" class="plain" onClick={() => onRoll(shownKey)}>
            Roll<span class="sr"> {shownKey.name}</span>
          </button>
        )}
        {state === null && (
          <button type="button" class="plain danger" onClick={() => onRevoke(shownKey)}>
            Revoke<span class="sr"> {shownKey.name}</span>
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
