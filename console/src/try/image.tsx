// The image. The service draws it if the browser can't show it or shows it in another shape.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { showPreview, type Item } from './items.js';

/** State of an image in the browser. */
export interface Shown {
  /** Width divided by height; null until it is known. */
  readonly ratio: number | null;
  /** True if the image can't be shown. */
  readonly isMissing: boolean;
  readonly onShape: (ratio: number) => void;
  readonly onBroken: () => void;
}

/** Observes how the browser shows an item and requests a drawing if the shape is wrong. */
export function useShown(item: Item): Shown {
  const { shownUrl } = item;
  // Ratio with its address, because a browser may load an image before the page's effects run.
  const [seen, setSeen] = useState<{ url: string | null; ratio: number | null }>({ url: null, ratio: null });
  const own = seen.url === shownUrl ? seen.ratio : null;
  const isBroken = own === 0;
  const result = item.state.kind === 'done' ? item.state.result : null;
  const reported = result && result.image.width / result.image.height;
  useEffect(() => {
    // In another shape the browser ignored the file's orientation, and boxes would be misplaced.
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

/** Draws the image of an item that can be shown. */
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
