// What a correction does, on pictures that it did not learn from; or thresholds, on those that they are fitted to.
import type { JSX } from 'preact';
import type { ShownCorrection } from '../../../src/service/console/learned-shapes.js';
import { DataTable } from '../components/data-table.js';
import { Dialog, DialogFoot } from '../components/dialog.js';
import { saveFile } from '../save-file.js';

/** Its table and warnings, and the way to save the card. */
export function CorrectionCard(props: { correction: ShownCorrection; onClose: () => void }): JSX.Element {
  const { correction, onClose } = props;
  const { name, kind, card, reason, outcome } = correction;
  const save = (text: string): void => saveFile(`${name}.md`, new Blob([text], { type: 'text/markdown' }));
  return (
    <Dialog title={`${kind === 'thresholds' ? 'Thresholds' : 'Correction'} ${name}`} onClose={onClose}>
      {reason !== null && <p>Not worth serving: {reason}.</p>}
      <p class="quiet small">
        {kind === 'thresholds'
          ? 'The lowest thresholds at which no more of these pictures fire than was aimed at. Others may fire more often.'
          : 'Each picture is judged by a correction that did not learn from its source, or from it where there is one source only.'}
      </p>
      <OutcomeTable name={`What ${name} does`} table={outcome?.table ?? []} />
      {outcome?.whose && <OutcomeTable name={`Whose pictures ${name} is fitted to`} table={outcome.whose} />}
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
