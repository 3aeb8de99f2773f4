// An image that is taken here and now, on a device with a camera in the hand.
import type { JSX } from 'preact';
import { BY_TOUCH, useMedia } from '../media.js';
import { add } from './items.js';

/** Opens the camera; nothing on a desk, where the browser would only ask for a file. */
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
