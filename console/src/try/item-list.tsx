// Lists the images of the page Try, with their progress.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { assessmentOfResult, chipOf, chipOfCheck } from '../chip-words.js';
import { Tile } from '../history/tile.js';
import { useStore } from '../store.js';
import { isRetriable, items, retry, selected, type Item, type PastItem } from './items.js';

/** Draws small images with their verdicts. */
export function ItemList(): JSX.Element {
  const list = useStore(items);
  const chosen = useStore(selected);
  const failed = list.filter(isRetriable);
  const unfinishedCount = list.filter(({ state }) =>
    ['waiting', 'sending', 'held'].includes(state.kind),
  ).length;
  return (
    <div class="listed">
      <p class="quiet small" role="status">
        {unfinishedCount > 0 && list.length > 1 && `${list.length - unfinishedCount} of ${list.length} done`}
      </p>
      {failed.length > 1 && (
        <button type="button" onClick={() => retry(failed)}>
          Try all {failed.length} again
        </button>
      )}
      <ul class="items" aria-label="Images of this tab">
        {list.map((item) => (
          <Row key={item.id} item={item} isChosen={item.id === (chosen ?? list[0]?.id)} {...describe(item)} />
        ))}
      </ul>
    </div>
  );
}

function Row(props: { item: Item | PastItem; isChosen: boolean; word: string; kind: string }) {
  const { item, isChosen, word, kind } = props;
  const { state } = item;
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isChosen) row.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [isChosen]);
  return (
    <li ref={row}>
      <button
        type="button"
        aria-current={isChosen ? 'true' : undefined}
        onClick={() => selected.set(() => item.id)}
      >
        <Thumbnail item={item} />
        <span class="item-text">
          <span class="item-name">{item.name}</span>
          <span class={`word ${kind}`}>{word}</span>
          {state.kind === 'sending' && (
            <progress
              aria-label={`Progress of ${item.name}`}
              {...(state.part < 1 && { value: state.part })}
            />
          )}
        </span>
      </button>
      {isRetriable(item) && (
        <button type="button" class="again" onClick={() => retry([item])}>
          Try again<span class="sr"> {item.name}</span>
        </button>
      )}
    </li>
  );
}

/** Draws the small image, or a symbol if the browser can't show the image. */
function Thumbnail({ item }: { item: Item | PastItem }) {
  const [brokenUrl, setBrokenUrl] = useState<string | null>(null);
  if (item.source === null) return item.state.check ? <Tile check={item.state.check} /> : <Placeholder />;
  const { shownUrl } = item;
  if (shownUrl === null || shownUrl === brokenUrl) return <Placeholder />;
  return (
    <img
      class="thumb"
      src={shownUrl}
      alt=""
      loading="lazy"
      decoding="async"
      onError={() => setBrokenUrl(shownUrl)}
    />
  );
}

function Placeholder() {
  return (
    <svg class="thumb none" viewBox="0 0 44 44" aria-hidden="true">
      <path d="M10 12h24v20H10zM10 28l7-7 6 6 4-4 7 7M8 8l28 28" />
    </svg>
  );
}

function describe({ state }: Item | PastItem): { word: string; kind: string } {
  switch (state.kind) {
    case 'waiting':
      return { word: 'Waiting its turn', kind: '' };
    case 'held':
      return { word: 'Waiting for the service', kind: '' };
    case 'sending':
      return { word: state.part < 1 ? `${Math.round(state.part * 100)}% sent` : 'Looking…', kind: '' };
    case 'refused':
      return { word: 'Not checked', kind: 'refused' };
    case 'past': {
      if (state.check) return chipOfCheck(state.check);
      if (state.checkId === null) return { word: 'Not checked', kind: 'refused' };
      return { word: state.check === undefined ? '…' : 'Forgotten', kind: '' };
    }
    case 'done':
      return chipOf(assessmentOfResult(state.result), null);
  }
}
