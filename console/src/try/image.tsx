// The image itself; one that the browser can't show, or shows in another shape, is drawn by the service.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { showPreview, type Item } from './items.js';

/** What is known of an image as the browser shows it. */
export interface Shown {
  /** Width by height; null until it is known. */
  readonly ratio: number | null;
  /** Whether there is nothing to show. */
  readonly isMissing: boolean;
  readonly onShape: (ratio: number) => void;
  readonly onBroken: () => void;
}

/** Watches how the browser shows an item, and has it drawn if that is wrong. */
export function useShown(item: Item): Shown {
  const { shownUrl } = item;
  // Of the address that it was seen of: a browser may be quicker with an image than the page with its effects.
  const [seen, setSeen] = useState<{ url: string | null; ratio: number | null }>({ url: null, ratio: null });
  const own = seen.url === shownUrl ? seen.ratio : null;
  const isBroken = own === 0;
  const result = item.state.kind === 'done' ? item.state.result : null;
  const reported = result && result.image.width / result.image.height;
  useEffect(() => {
    // Another shape: the browser took no notice of the file's orientation, and boxes would lie wrong.
    if (reported !== null && own !== null && own > 0 && Math.abs(own / reported - 1) > 0.05)
      void showPreview(item);
  }, [item, reported, own]);
  return {
    ratio: reported ?? own,
    isMissing: shownUrl === null || isBroken,
    onShape: (ratio) => setSeen({ url: shownUrl, ratio }),
    onBroken: () => {
      setSeen({ url: shownUrl, ratio: 0 });
      void showPreview(item);
    },
  };
}

/** The image of an item that is not missing. */
export function Image({ item, shown }: { item: Item; shown: Shown }): JSX.Element {
  return (
    <img
      src={item.shownUrl ?? ''}
      alt={item.name}
      draggable={false}
      onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
        shown.onShape(naturalWidth / naturalHeight)
      }
      onError={shown.onBroken}
    />
  );
}
