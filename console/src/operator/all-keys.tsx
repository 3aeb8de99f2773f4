// The keys of all accounts.
import type { JSX } from 'preact';
import type { ShownKey } from '../../../src/service/console/shapes.js';
import { call } from '../api.js';
import { Fault } from '../components/fault.js';
import { KeyTable } from '../components/key-table.js';
import { useLoaded } from '../load.js';

/** A table, with the way to revoke. */
export function AllKeysPanel(): JSX.Element {
  const { data, error, reload } = useLoaded<readonly ShownKey[]>('/operator/keys');
  return (
    <section class="card flush">
      <Fault fault={error} />
      {data && (
        <KeyTable
          keys={[...data].reverse()}
          showsAccount
          revoke={(key) => call('DELETE', `/operator/keys/${key.id}`).then(reload)}
        />
      )}
    </section>
  );
}
