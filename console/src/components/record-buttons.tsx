// Buttons that save the signed record of a check or a refusal as a printable page or as JSON.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { drawRecordPage, explain } from '../api.js';
import { saveFile } from '../save-file.js';

/**
 * Draws both buttons. `name` is the file name, `read` loads the record, `onFault` receives the error, or ''
 * before each try.
 */
export function RecordButtons(props: {
  name: string;
  read: () => Promise<unknown>;
  onFault: (text: string) => void;
}): JSX.Element {
  const { name, read, onFault } = props;
  const [isBusy, setBusy] = useState(false);
  const save = (ending: string, write: (record: unknown) => Promise<Blob>): void => {
    setBusy(true);
    onFault('');
    read()
      .then(write)
      .then((file) => saveFile(`${name}.record.${ending}`, file))
      .catch((error: unknown) => onFault(explain(error)))
      .finally(() => setBusy(false));
  };
  return (
    <>
      <button type="button" disabled={isBusy} onClick={() => save('html', drawRecordPage)}>
        Save record
      </button>
      <button type="button" class="plain" disabled={isBusy} onClick={() => save('json', writeJson)}>
        Record as JSON
      </button>
    </>
  );
}

function writeJson(record: unknown): Promise<Blob> {
  return Promise.resolve(new Blob([`${JSON.stringify(record)}\n`], { type: 'application/json' }));
}
