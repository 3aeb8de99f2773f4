// Tabs that arrow keys can switch. Source: ARIA Authoring Practices, tabs pattern.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { keepInRow } from '../keep-in-row.js';

/** Draws a row of tabs above one panel. */
export function Tabs<T extends string>(props: {
  name: string;
  tabs: readonly T[];
  chosen: T;
  onChoose: (tab: T) => void;
  children: ComponentChildren;
}): JSX.Element {
  const { name, tabs, chosen, onChoose, children } = props;
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => keepInRow(row.current?.querySelector('[aria-selected=true]')), [chosen]);
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = tabs[(tabs.indexOf(chosen) + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    event.preventDefault();
    onChoose(next);
    document.getElementById(`${name}-${next}`)?.focus();
  };
  return (
    <>
      <div ref={row} class="tabs" role="tablist" aria-label={name} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab}
            type="button"
            role="tab"
            id={`${name}-${tab}`}
            aria-selected={tab === chosen}
            aria-controls={`${name}-panel`}
            tabIndex={tab === chosen ? 0 : -1}
            onClick={() => onChoose(tab)}
          >
            {tab}
          </button>
        ))}
      </div>
      <div class="panel" role="tabpanel" id={`${name}-panel`} aria-labelledby={`${name}-${chosen}`}>
        {children}
      </div>
    </>
  );
}
