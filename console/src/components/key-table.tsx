// API keys in a table, with the way to revoke one.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ShownKey } from '../../../src/service/console/shapes.js';
import { formatDay, formatMoment } from '../format.js';
import { Confirm } from './confirm.js';
import { DataTable } from './data-table.js';

/** `revoke` is asked for after a confirmation. */
export function KeyTable(props: {
  keys: readonly ShownKey[];
  showsAccount: boolean;
  revoke: (key: ShownKey) => Promise<unknown>;
}): JSX.Element {
  const { keys, showsAccount, revoke } = props;
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
          <tr key={key.id} class={stateOf(key) === null ? '' : 'over'}>
            {showsAccount && <td>{key.account}</td>}
            <td>{key.name}</td>
            <td>
              <code>{key.id}</code>
            </td>
            <td>
              <Scopes of={key} />
            </td>
            <td>{key.plan}</td>
            <td>{formatDay(key.created_at)}</td>
            <td>{key.last_used_at === null ? 'never' : formatMoment(key.last_used_at)}</td>
            <td>{key.expires_at === null ? 'never' : formatMoment(key.expires_at)}</td>
            <td class="end">
              {stateOf(key) ?? (
                <button type="button" class="plain danger" onClick={() => setAsked(key)}>
                  Revoke<span class="sr"> {key.name}</span>
                </button>
              )}
            </td>
          </tr>
        ))}
      </DataTable>
      {asked && (
        <Confirm
          title={`Revoke ${asked.name}?`}
          text={`Programs that use the key ${asked.id} are refused within a second. This can not be undone.`}
          yes="Revoke"
          act={() => revoke(asked)}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  );
}

/** A sandbox key is told apart at a glance. */
function Scopes({ of: { scopes } }: { of: ShownKey }): JSX.Element {
  if (!scopes.includes('sandbox')) return <>{scopes.join(', ')}</>;
  return (
    <span class="tag" title="tt_test_...: fixed answers, never charged">
      sandbox
    </span>
  );
}

/** Null for a key that works. */
function stateOf({ revoked_at: revoked, expires_at: expires }: ShownKey): string | null {
  if (revoked !== null) return 'revoked';
  return expires !== null && new Date(expires) <= new Date() ? 'expired' : null;
}
