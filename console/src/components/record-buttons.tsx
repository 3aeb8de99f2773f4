// Buttons that save a record (signed evidence about a check or a refused image) as a printable page or as JSON.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { drawRecordPage, messageOf } from '../api.js';
import { saveFile } from '../save-file.js';

/**
 * Draws both buttons. `name` is the file name, `read` loads the record. Calls `onFault` with '' before each attempt
 * and with the error message if the attempt fails.
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
      .catch((error: unknown) => onFault(messageOf(error)))
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
