// A dialog that finds earlier checks of an image without checking it.
import type { JSX } from 'preact';
import { call } from '../api.js';
import { Dialog, DialogFoot } from '../components/dialog.js';
import { Fault } from '../components/fault.js';
import { useRequested } from '../load.js';
import { SeenBefore, type Seen } from '../try/seen.js';

export function LookUp({ onClose }: { onClose: () => void }): JSX.Element {
  const { data: found, fault, isBusy, expect } = useRequested<Seen>();
  const search = (file: File | undefined): void => {
    if (!file) return;
    const form = new FormData();
    form.append('file', file, file.name);
    expect(call<Seen>('POST', '/seen', form));
  };
  return (
    <Dialog title="Find an image" onClose={onClose}>
      <div class="past">
        <label class="field">
          Image <span class="quiet">is compared with earlier checks, not checked, stored or charged</span>
          <input
            type="file"
            accept="image/*"
            onChange={({ currentTarget: { files } }) => search(files?.[0])}
          />
        </label>
        <div role="status">
          {isBusy && <p>Searching…</p>}
          {found && <SeenBefore seen={found} />}
          {found && found.known === null && found.checks.length === 0 && <p>{describeNothing(found)}</p>}
        </div>
        <Fault fault={fault} />
      </div>
      <DialogFoot close="Close" onClose={onClose} />
    </Dialog>
  );
}

function describeNothing({ comparable }: Seen): string {
  return comparable
    ? 'No earlier check shows this image, and it is not among the known images.'
    : 'The image has too little detail to be recognised.';
}
