// What members reported, in all and by account: what a correction can learn from.
import type { JSX } from 'preact';
import type { Corrections } from '../../../src/service/console/learned-shapes.js';
import { DataTable } from '../components/data-table.js';
import { formatCount } from '../format.js';

/** A paragraph and a table. */
export function ReportedPictures({ reported }: { reported: Corrections['reported'] }): JSX.Element {
  return (
    <>
      <p class="inside">
        Members reported {formatCount(reported.ai)} pictures as AI and {formatCount(reported.genuine)} as
        genuine, of which the pictures are kept
        {reported.without_picture > 0 && `, and ${formatCount(reported.without_picture)} without`}. A
        correction learned from them moves the score of the whole picture; it takes 8 AI or 20 genuine ones.
        If there are several accounts, at most half of what it learns from comes from one of them.
      </p>
      <DataTable
        name="Reports by account"
        heads={['Account', { number: 'AI' }, { number: 'Genuine' }]}
        empty="Nobody reported any."
      >
        {reported.accounts.map(({ name, ai, genuine }) => (
          <tr key={name}>
            <td>{name}</td>
            <td class="number">{formatCount(ai)}</td>
            <td class="number">{formatCount(genuine)}</td>
          </tr>
        ))}
      </DataTable>
    </>
  );
}
