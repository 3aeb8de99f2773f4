// Adds images to the page Try: dropped, pasted, chosen in a file dialog, or by address.
import type { JSX, RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Source } from '../api.js';
import { textOf } from '../fields.js';
import { BY_TOUCH, useMedia } from '../media.js';
import { useStore } from '../store.js';
import { add, keeps } from './items.js';
import { TakeImage } from './take-image.js';

const ACCEPT = 'image/*,.jpg,.jpeg,.png,.webp,.avif,.gif,.bmp,.tif,.tiff';

/** Draws the form, which is large while there are no images. */
export function Intake({ isLarge, storeDays }: { isLarge: boolean; storeDays: number }): JSX.Element {
  const isKept = useStore(keeps);
  const isTouch = useMedia(BY_TOUCH);
  const picker = useRef<HTMLInputElement>(null);
  const isOver = useGiven(picker);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const url = textOf(new FormData(form), 'url').trim();
    if (url === '') return;
    add([{ kind: 'url', url }]);
    form.reset();
  };

  return (
    <div class={`intake${isLarge ? ' large' : ''}${isOver ? ' over' : ''}`}>
      <div class="pick">
        <TakeImage />
        <label class="drop">
          <input ref={picker} class="sr" type="file" multiple accept={ACCEPT} />
          <strong>{isTouch ? 'Choose' : isLarge ? 'Drop images here' : 'Add images'}</strong>
          {!isTouch && (
            <span class="quiet">
              {isLarge
                ? 'or paste them, or choose. Any number is accepted; two are checked at a time'
                : 'drop, paste or choose them'}
            </span>
          )}
        </label>
      </div>
      <form class="address" onSubmit={submit}>
        <input
          name="url"
          type="text"
          inputMode="url"
          placeholder="https://…"
          aria-label="Address of an image"
        />
        <button type="submit">Check</button>
      </form>
      <label class="switch">
        <input
          type="checkbox"
          checked={isKept}
          onChange={(event) => keeps.set(() => event.currentTarget.checked)}
        />
        <span>
          Keep images <span class="quiet">for {storeDays} days</span>
        </span>
      </label>
    </div>
  );
}

/**
 * Adds images that a person drops or pastes anywhere on the page or chooses in `picker`. Returns true while files are
 * dragged over the page.
 */
function useGiven(picker: RefObject<HTMLInputElement | null>): boolean {
  const [isOver, setOver] = useState(false);
  // A layout effect, so that a file chosen right after the page appears is not lost.
  useLayoutEffect(() => {
    const addAny = (sources: readonly Source[]): void => {
      if (sources.length > 0) add(sources);
    };
    const showDropTarget = (event: DragEvent): void => {
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent): void => {
      event.preventDefault();
      setOver(false);
      addAny(readTransfer(event.dataTransfer));
    };
    const paste = (event: ClipboardEvent): void => {
      // Ignores text pasted into an input field, because it is not meant as the address of an image.
      if (event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement) return;
      const sources = readTransfer(event.clipboardData);
      if (sources.length > 0) event.preventDefault();
      addAny(sources);
    };
    const pick = (): void => {
      addAny([...(picker.current?.files ?? [])].map((file) => ({ kind: 'file', file })));
      if (picker.current) picker.current.value = '';
    };
    const input = picker.current;
    document.addEventListener('dragover', showDropTarget);
    document.addEventListener('dragleave', leave);
    document.addEventListener('drop', drop);
    document.addEventListener('paste', paste);
    input?.addEventListener('change', pick);
    return () => {
      document.removeEventListener('dragover', showDropTarget);
      document.removeEventListener('dragleave', leave);
      document.removeEventListener('drop', drop);
      document.removeEventListener('paste', paste);
      input?.removeEventListener('change', pick);
    };
  }, []);
  return isOver;
}

function readTransfer(transfer: DataTransfer | null): Source[] {
  const files = [...(transfer?.files ?? [])];
  if (files.length > 0) return files.map((file) => ({ kind: 'file', file }));
  const text = transfer?.getData('text/uri-list') || transfer?.getData('text/plain') || '';
  const url = text.trim().split(/\s/)[0] ?? '';
  return /^https?:\/\//.test(url) ? [{ kind: 'url', url }] : [];
}
