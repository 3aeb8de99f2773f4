// Shows an image. The service converts it to PNG if the browser can't show it or ignores its orientation.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Item } from './items.js';

/** Facts about an image as the browser shows it. */
export interface Shown {
  /** Width divided by height; null until the image is loaded. */
  readonly ratio: number | null;
  /** True if the image can't be shown, at least not before the service has converted it. */
  readonly isMissing: boolean;
  readonly onShape: (ratio: number) => void;
  readonly onBroken: () => void;
}

/** Watches the image of an item. Calls `onBroken` if the browser can't show it or shows a wrong width or height. */
export function useShown(item: Item, onBroken: (item: Item) => unknown): Shown {
  const { shownUrl } = item;
  // The ratio with the address that it belongs to, because an image may load before the page's effects run.
  const [measuredRatio, setMeasuredRatio] = useState<{ url: string | null; ratio: number | null }>({
    url: null,
    ratio: null,
  });
  const ownRatio = measuredRatio.url === shownUrl ? measuredRatio.ratio : null;
  const isBroken = ownRatio === 0;
  const result = item.state.kind === 'done' ? item.state.result : null;
  const reported = result && result.image.width / result.image.height;
  useEffect(() => {
    // Another ratio means that the browser ignored the file's orientation. Boxes over the image would be at wrong
    // places.
    if (reported !== null && ownRatio !== null && ownRatio > 0 && Math.abs(ownRatio / reported - 1) > 0.05)
      onBroken(item);
  }, [item, reported, ownRatio]);
  return {
    ratio: reported ?? ownRatio,
    isMissing: shownUrl === null || isBroken,
    onShape: (ratio) => setMeasuredRatio({ url: shownUrl, ratio }),
    onBroken: () => {
      setMeasuredRatio({ url: shownUrl, ratio: 0 });
      onBroken(item);
    },
  };
}

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
