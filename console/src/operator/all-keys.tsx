// The operator's tab with the API keys of all accounts.
import type { JSX } from 'preact';
import type { KeyPage } from '../../../src/service/console/shapes.js';
import { call } from '../api.js';
import { Fault } from '../components/fault.js';
import { KeyTable } from '../components/key-table.js';
import { MoreButton } from '../components/more-button.js';
import { usePages } from '../pages-of.js';

/** Draws a table of keys, with a button to revoke each. */
export function AllKeysPanel(): JSX.Element {
  const { pages, error, fault, reload, loadMore } = usePages<KeyPage>('/operator/keys', 'before');
  return (
    <section class="card flush">
      <Fault fault={error} />
      <Fault fault={fault} />
      {pages.length > 0 && (
        <KeyTable
          keys={pages.flatMap(({ keys }) => keys)}
          showsAccount
          onRoll={null}
          revoke={(key) => call('DELETE', `/operator/keys/${key.id}`).then(reload)}
        />
      )}
      <MoreButton loadMore={loadMore} />
    </section>
  );
}
