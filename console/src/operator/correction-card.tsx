// What a correction does, on pictures that it did not learn from.
import type { JSX } from 'preact';
import type { ShownCorrection } from '../../../src/service/console/shapes.js';
import { DataTable } from '../components/data-table.js';
import { Dialog, DialogFoot } from '../components/dialog.js';
import { saveFile } from '../save-file.js';

/** Its table and warnings, and the way to save the card. */
export function CorrectionCard(props: { correction: ShownCorrection; onClose: () => void }): JSX.Element {
  const { correction, onClose } = props;
  const { name, card, reason, outcome } = correction;
  const [heads = [], ...rows] = outcome?.table ?? [];
  const save = (text: string): void => saveFile(`${name}.md`, new Blob([text], { type: 'text/markdown' }));
  return (
    <Dialog title={`Correction ${name}`} onClose={onClose}>
      {reason !== null && <p>Not worth serving: {reason}.</p>}
      <p class="quiet small">
        Each picture is judged by a correction that did not learn from its source, or from it where there is
        one source only.
      </p>
      <DataTable name={`What ${name} does`} heads={heads} isShort>
        {rows.map((cells) => (
          <tr key={cells[0]}>
            {cells.map((cell, column) => (
              <td key={column}>{cell}</td>
            ))}
          </tr>
        ))}
      </DataTable>
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
