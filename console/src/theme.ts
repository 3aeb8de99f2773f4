// The colour theme: the system's theme, or the reader's choice, which this browser stores.
import { createStore } from './store.js';

/** Themes to choose from. */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'telltale-theme';

/** The chosen theme. */
export const theme = createStore<Theme>(readTheme());

theme.subscribe(apply);
apply();

function readTheme(): Theme {
  const stored = window.localStorage.getItem(KEY);
  return THEMES.find((name) => name === stored) ?? 'system';
}

function apply(): void {
  const chosenTheme = theme.get();
  window.localStorage.setItem(KEY, chosenTheme);
  document.documentElement.dataset['theme'] = chosenTheme;
}
