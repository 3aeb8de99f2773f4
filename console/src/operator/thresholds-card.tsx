// A dialog about the measured effect of thresholds on the images to which they were fitted.
import type { JSX } from 'preact';
import type { ShownThresholds } from '../../../src/service/console/shapes.js';
import { DataTable } from '../components/data-table.js';
import { Dialog, DialogFoot } from '../components/dialog.js';
import { saveFile } from '../save-file.js';

/** Draws tables, warnings, and a button that saves them as a file. */
export function ThresholdsCard(props: { thresholds: ShownThresholds; onClose: () => void }): JSX.Element {
  const { thresholds, onClose } = props;
  const { name, card, reason, outcome } = thresholds;
  const save = (text: string): void => saveFile(`${name}.md`, new Blob([text], { type: 'text/markdown' }));
  return (
    <Dialog title={`Thresholds ${name}`} onClose={onClose}>
      {reason !== null && <p>Not worth activating: {reason}.</p>}
      <p class="quiet small">
        These are the lowest thresholds at which at most the chosen share of these images is flagged. Other
        images may be flagged more often.
      </p>
      <OutcomeTable name={`What ${name} does`} table={outcome?.table ?? []} />
      <OutcomeTable name={`Accounts whose images ${name} is fitted to`} table={outcome?.whose ?? []} />
      {outcome?.warnings.map((warning) => (
        <p key={warning}>{warning}</p>
      ))}
      <DialogFoot close="Close" onClose={onClose}>
        {card !== null && (
          <button type="button" class="plain" onClick={() => save(card)}>
            Save the card
          </button>
        )}
      </DialogFoot>
    </Dialog>
  );
}

function OutcomeTable(props: { name: string; table: readonly (readonly string[])[] }): JSX.Element {
  const [heads = [], ...rows] = props.table;
  return (
    <DataTable name={props.name} heads={heads} isShort>
      {rows.map((cells, row) => (
        <tr key={row}>
          {cells.map((cell, column) => (
            <td key={column}>{cell}</td>
          ))}
        </tr>
      ))}
    </DataTable>
  );
}
