// Images of a scan that could not be checked, with their errors.
import type { JSX } from 'preact';
import type { FailurePage } from '../../../src/service/console/shapes.js';
import { DataTable } from '../components/data-table.js';
import { Fault } from '../components/fault.js';
import { MoreButton } from '../components/more-button.js';
import { asSentence } from '../format.js';
import { usePages } from '../pages-of.js';

/** Draws the table, in the order in which the checks ended. */
export function Failures({ id }: { id: string }): JSX.Element {
  const { pages, error, fault, loadMore } = usePages<FailurePage>(`/scans/${id}/failures`, 'after');
  return (
    <section class="card flush" aria-labelledby="failures">
      <h2 id="failures" class="inside">
        Not checked <span class="quiet">and not charged</span>
      </h2>
      <Fault fault={error ?? fault} />
      <DataTable name="Not checked" heads={[{ number: 'Line' }, 'Reference', 'Why']} isShort>
        {pages
          .flatMap(({ failures }) => failures)
          .map(({ line, ref, message }) => (
            <tr key={line}>
              <td class="number">{line}</td>
              <td>{ref}</td>
              <td>{asSentence(message)}</td>
            </tr>
          ))}
      </DataTable>
      <MoreButton loadMore={loadMore} />
    </section>
  );
}
