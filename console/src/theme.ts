// The theme: the system's, or the reader's choice, stored in this browser.
import { createStore } from './store.js';

/** Choices of the theme. */
export const THEMES = ['system', 'light', 'dark'] as const;
/** Theme. */
export type Theme = (typeof THEMES)[number];

const KEY = 'telltale-theme';

/** Chosen theme. */
export const theme = createStore<Theme>(readTheme());

theme.subscribe(apply);
apply();

function readTheme(): Theme {
  const stored = window.localStorage.getItem(KEY);
  return THEMES.find((name) => name === stored) ?? 'system';
}

function apply(): void {
  const chosen = theme.get();
  window.localStorage.setItem(KEY, chosen);
  document.documentElement.dataset['theme'] = chosen;
}
