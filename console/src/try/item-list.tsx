// The session's pictures, to go back to.
import type { JSX } from 'preact';
import type { Me } from '../../../src/service/console/shapes.js';
import type { ProfileName } from '../../../src/check/types.js';
import { attentionOf, chipOf } from '../attention.js';
import { useStore } from '../store.js';
import { items, selected, type Item } from './items.js';
import { classify } from './classify.js';

/** A list of small pictures with their verdicts. */
export function ItemList({
  service,
  profile,
}: {
  service: Me['service'];
  profile: ProfileName | null;
}): JSX.Element {
  const list = useStore(items);
  const chosen = useStore(selected);
  return (
    <ul class="items" aria-label="Pictures since the page was opened">
      {list.map((item) => {
        const { word, kind } = describe(item, service, profile);
        return (
          <li key={item.id}>
            <button
              type="button"
              aria-current={item.id === chosen ? 'true' : undefined}
              onClick={() => selected.set(() => item.id)}
            >
              {item.shownUrl === null ? (
                <span class="thumb" />
              ) : (
                <img class="thumb" src={item.shownUrl} alt="" />
              )}
              <span class="item-text">
                <span class="item-name">{item.name}</span>
                <span class={`word ${kind}`}>{word}</span>
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function describe(
  { state }: Item,
  service: Me['service'],
  profile: ProfileName | null,
): { word: string; kind: string } {
  switch (state.kind) {
    case 'waiting':
      return { word: 'Waiting', kind: '' };
    case 'sending':
      return { word: state.part < 1 ? `${Math.round(state.part * 100)}% sent` : 'Checking…', kind: '' };
    case 'refused':
      return { word: 'Not checked', kind: 'refused' };
    case 'done': {
      const by = profile ?? state.result.profile;
      const { isAi } = classify(state.result, by, service.profiles[by]);
      return chipOf(isAi, attentionOf(state.result, isAi, service.profiles.sensitive));
    }
  }
}
