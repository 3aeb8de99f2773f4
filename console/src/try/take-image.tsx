// A button that takes a photograph, on touch devices.
import type { JSX } from 'preact';
import { BY_TOUCH, useMedia } from '../media.js';
import { add } from './items.js';

/** Draws the button. Desktop browsers would only open a file dialog, so it is hidden there. */
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
