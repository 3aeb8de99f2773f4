// Light or dark: as the system has it, or as the reader chose, remembered in this browser.
import { createStore } from './store.js';

/** What can be chosen. */
export const THEMES = ['system', 'light', 'dark'] as const;
/** One of them. */
export type Theme = (typeof THEMES)[number];

const KEY = 'telltale-theme';

/** The choice. */
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
