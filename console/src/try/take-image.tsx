// A button that takes a photograph with the camera of a touch device.
import type { JSX } from 'preact';
import { BY_TOUCH, useMedia } from '../media.js';
import { add } from './items.js';

/** Draws the button only on touch devices. A desktop browser would just open a file dialog. */
export function TakeImage(): JSX.Element | null {
  if (!useMedia(BY_TOUCH)) return null;
  return (
    <label class="drop">
      <input
        class="sr"
        type="file"
        accept="image/*"
        capture="environment"
        onChange={({ currentTarget: input }) => {
          add([...(input.files ?? [])].map((file) => ({ kind: 'file', file })));
          input.value = '';
        }}
      />
      <strong>Take a photo</strong>
    </label>
  );
}
