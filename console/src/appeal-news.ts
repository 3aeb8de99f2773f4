// Remembers in the browser when the person last opened the page Appeals, so that the notices show only news.
import { createStore } from './store.js';

const STORED = 'telltale.appeals.read';

/** Time of the last visit in milliseconds since 1970. */
export const readAppealNews = createStore(Number(window.localStorage.getItem(STORED) ?? 0));
readAppealNews.subscribe(() => window.localStorage.setItem(STORED, String(readAppealNews.get())));
