// The form with the filters of the history.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { CHOICES, type Filter, type FilterName } from './filter.js';

/** Pause in milliseconds after the last keystroke before a search starts, to send fewer requests. */
const PAUSE_MS = 300;

/** Filters that a phone shows only after a button is pressed. */
const FOLDED_FILTERS = [
  'verdict',
  'fired',
  'status',
  'claimed',
  'person',
  'from',
  'to',
] as const satisfies readonly FilterName[];

/** Draws the form. Calls `onChoose` with one filter, because a typed search text is applied after a pause. */
export function Filters(props: {
  filter: Filter;
  onChoose: (name: FilterName, value: string) => void;
}): JSX.Element {
  const { filter, onChoose: choose } = props;
  const [isOpen, setOpen] = useState(false);
  // Hides filters that all checks of one scan share, unless one is set in the address and may need to be removed.
  const isShown = (name: FilterName): boolean => filter.scan === '' || filter[name] !== '';
  const usedCount = FOLDED_FILTERS.filter((name) => filter[name] !== '').length;
  return (
    <form class={`filters${isOpen ? ' open' : ''}`} onSubmit={(event) => event.preventDefault()}>
      <Words
        name="Search name, reference, note or identifier"
        hint="Name, reference, note, chk_…"
        value={filter.text}
        onWords={(words) => choose('text', words)}
      />
      <button type="button" class="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Filters{usedCount > 0 && ` (${usedCount})`}
      </button>
      <Choice name="Result" of="verdict" filter={filter} onChoose={choose} />
      <Choice name="Detector" of="fired" filter={filter} onChoose={choose} />
      <Choice name="Status" of="status" filter={filter} onChoose={choose} />
      <Choice name="Review" of="claimed" filter={filter} onChoose={choose} />
      {isShown('person') && (
        <Words
          name="Person or key"
          hint="Person or key"
          value={filter.person}
          onWords={(words) => choose('person', words)}
        />
      )}
      {isShown('from') && <Day name="From" value={filter.from} onDay={(day) => choose('from', day)} />}
      {isShown('to') && <Day name="To" value={filter.to} onDay={(day) => choose('to', day)} />}
    </form>
  );
}

function Words(props: { name: string; hint: string; value: string; onWords: (words: string) => void }) {
  const { name, hint, value, onWords } = props;
  const [words, setWords] = useState(value);
  // Keeps a space at the end, because the next word may follow.
  useEffect(() => setWords((now) => (now.trim() === value ? now : value)), [value]);
  useEffect(() => {
    if (words.trim() === value) return undefined;
    const timer = window.setTimeout(() => onWords(words.trim()), PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [words]);
  return (
    <input
      type="search"
      placeholder={hint}
      aria-label={name}
      maxLength={200}
      value={words}
      onInput={(event) => setWords(event.currentTarget.value)}
    />
  );
}

function Choice(props: {
  name: string;
  of: keyof typeof CHOICES;
  filter: Filter;
  onChoose: (name: FilterName, value: string) => void;
}) {
  const { name, of, filter, onChoose } = props;
  return (
    <label class="inline">
      <span class="sr">{name}</span>
      <select value={filter[of]} onChange={(event) => onChoose(of, event.currentTarget.value)}>
        {Object.entries(CHOICES[of]).map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

function Day({ name, value, onDay }: { name: string; value: string; onDay: (day: string) => void }) {
  return (
    <label class="day">
      <span class="quiet">{name}</span>
      <input type="date" value={value} onChange={(event) => onDay(event.currentTarget.value)} />
    </label>
  );
}
