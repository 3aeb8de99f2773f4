// Shows the stored image of a check: small, or over the whole window.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Dialog, DialogFoot } from '../components/dialog.js';
import { Zoomable } from '../zoom/zoomable.js';

/** Draws a small image that opens the large one. `id` is the check's identifier, `name` the image's name. */
export function KeptImage({ id, name }: { id: string; name: string }): JSX.Element {
  const [isFull, setFull] = useState(false);
  const source = `/console/api/checks/${id}/image`;
  return (
    <>
      <button type="button" class="picture" onClick={() => setFull(true)}>
        <img class="kept" src={source} alt="The checked image" />
        <span>See it in full</span>
      </button>
      {isFull && <FullImage source={source} name={name} onClose={() => setFull(false)} />}
    </>
  );
}

function FullImage({ source, name, onClose }: { source: string; name: string; onClose: () => void }) {
  const [ratio, setRatio] = useState<number | null>(null);
  const image = (
    <img
      src={source}
      alt={name}
      draggable={false}
      onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => setRatio(naturalWidth / naturalHeight)}
    />
  );
  return (
    <Dialog title={name} isRead isFull onClose={onClose}>
      <Zoomable name={name} ratio={ratio} panes={[image]} />
      <DialogFoot close="Back to the check" onClose={onClose}>
        <a href={source} target="_blank" rel="noreferrer">
          The image alone
        </a>
      </DialogFoot>
    </Dialog>
  );
}
