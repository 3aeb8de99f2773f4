// The images of the page Try. Checks them two at a time, and remembers their names when the tab is reloaded.
import type { CheckResult } from '../../../src/library/check/result-schema.js';
import type { ShownCheck } from '../../../src/service/console/shapes.js';
import { ApiError, call, checkImage, drawPreview, type Source } from '../api.js';
import { createStore } from '../store.js';
import { requestedDetails } from './details.js';
import { forgetItems, readItems, writeItems } from './remembered.js';
import { canHelp } from './refusals.js';
import { firstWaiting } from './turn.js';

/** Number of concurrent checks, so that one image is sent while another is checked. */
const PARALLEL = 2;
const MAX_RETRIES = 6;

/** An image on the page Try. */
export interface Item {
  readonly id: number;
  readonly name: string;
  readonly source: Source;
  /** URL for showing the image, which is the file or a PNG made by the service; null without either. */
  readonly shownUrl: string | null;
  readonly state:
    | { readonly kind: 'waiting' }
    /** Share of the file that has been sent, 0..1. At 1, the service checks the image. */
    | { readonly kind: 'sending'; readonly part: number }
    /** The service was busy. The page tries again after a pause. */
    | { readonly kind: 'held' }
    | { readonly kind: 'done'; readonly result: CheckResult; readonly isReported: boolean }
    | { readonly kind: 'refused'; readonly error: ApiError };
}

/** An image from before the tab was reloaded: only its name and its check in the history remain. */
export interface PastItem {
  readonly id: number;
  readonly name: string;
  readonly source: null;
  readonly state: {
    readonly kind: 'past';
    /** Identifier of the check; null if the image was not checked. */
    readonly checkId: string | null;
    /** The check in the history; undefined until it is loaded, null if it is no longer there. */
    readonly check: ShownCheck | null | undefined;
  };
}

/** All images, in the order in which they were added. */
export const items = createStore<readonly (Item | PastItem)[]>([]);
/** Identifier of the image shown large. */
export const selected = createStore<number | null>(null);
/** True if the service is asked to store the images (`store=true`). */
export const keeps = createStore(false);

let lastId = 0;
let running = 0;
const previews = new Set<number>();
/** Member to whom the list belongs; null if nobody is signed in. */
let memberId: string | null = null;

// Warns before the tab is closed, because images that are not checked yet would be lost.
window.addEventListener('beforeunload', (event) => {
  if (items.get().some(({ state }) => ['waiting', 'sending', 'held'].includes(state.kind)))
    event.preventDefault();
});

items.subscribe(() => {
  if (memberId !== null) writeItems(memberId, items.get().map(toRemembered));
});

function toRemembered({ name, source, state }: Item | PastItem): { name: string; checkId: string | null } {
  const checkId = state.kind === 'done' ? state.result.id : state.kind === 'past' ? state.checkId : null;
  return { name: source?.kind === 'url' ? withoutQuery(source.url) : name, checkId };
}

/** Removes the query of an address, which may contain a password or token. */
function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/, '');
}

/** Shows the list that this member had before the tab was reloaded. */
export async function resume(id: string): Promise<void> {
  if (memberId === id) return;
  memberId = id;
  const past = readItems(id).map(({ name, checkId }): PastItem => {
    lastId += 1;
    return { id: lastId, name, source: null, state: { kind: 'past', checkId, check: undefined } };
  });
  items.set((now) => [...past, ...now]);
  for (const { id: itemId, state } of past) {
    if (state.checkId === null) continue;
    const check = await call<ShownCheck>('GET', `/checks/${state.checkId}`).catch(() => null);
    items.set((now) =>
      now.map((item) =>
        item.id === itemId && item.source === null ? { ...item, state: { ...item.state, check } } : item,
      ),
    );
  }
}

/** Removes all images, so that the next person who uses this tab does not see them. */
export function forget(): void {
  memberId = null;
  for (const item of items.get()) revokeUrl(item);
  items.set(() => []);
  forgetItems();
}

/** Adds images to the list and checks them, two at a time. */
export function add(sources: readonly Source[]): void {
  const added = sources.map((source): Item => {
    lastId += 1;
    return {
      id: lastId,
      name: source.kind === 'file' ? source.file.name || 'pasted image' : source.url,
      source,
      shownUrl: source.kind === 'file' ? URL.createObjectURL(source.file) : null,
      state: { kind: 'waiting' },
    };
  });
  items.set((before) => [...before, ...added]);
  if (added[0]) selected.set(() => added[0]?.id ?? null);
  for (const item of added) if (item.source.kind === 'url') void showPreview(item);
  start();
}

/** Checks failed images again if a retry can help. */
export function retry(failed: readonly Item[]): void {
  for (const { id } of failed.filter(isRetriable)) update(id, { state: { kind: 'waiting' } });
  start();
}

/** Returns whether trying again can succeed. */
export function isRetriable(item: Item | PastItem): item is Item {
  return item.state.kind === 'refused' && canHelp(item.state.error);
}

/** Requests, once per image, a PNG from the service if the browser can't show the image. */
export async function showPreview(item: Item): Promise<void> {
  if (previews.has(item.id)) return;
  previews.add(item.id);
  const url = await drawPreview(item.source).then(
    (blob) => URL.createObjectURL(blob),
    () => null,
  );
  const current = items.get().find(({ id }) => id === item.id);
  if (current?.source) {
    revokeUrl(current);
    update(item.id, { shownUrl: url });
  } else if (url !== null) URL.revokeObjectURL(url);
}

/** Notes that the verdict was reported as wrong, to hide the button. */
export function noteReport(item: Item): void {
  if (item.state.kind === 'done') update(item.id, { state: { ...item.state, isReported: true } });
}

/** Frees the memory of the shown file. */
function revokeUrl(item: Item | PastItem): void {
  if (item.source !== null && item.shownUrl !== null) URL.revokeObjectURL(item.shownUrl);
}

function next(): Item | undefined {
  return firstWaiting(items.get().filter((item) => item.source !== null));
}

function update(id: number, change: Partial<Item>): void {
  items.set((before) =>
    before.map((item) => (item.id === id && item.source !== null ? { ...item, ...change } : item)),
  );
}

function start(): void {
  while (running < PARALLEL && next()) void run();
}

async function run(): Promise<void> {
  running += 1;
  for (let item = next(); item; item = next()) {
    const { id, source } = item;
    const onState = (state: Item['state']): void => update(id, { state });
    try {
      const result = await checkPatiently(source, onState);
      onState({ kind: 'done', result, isReported: false });
    } catch (error) {
      const fault = error instanceof ApiError ? error : new ApiError('unreachable', String(error), 0);
      onState({ kind: 'refused', error: fault });
    }
  }
  running -= 1;
}

/** Checks an image. Waits and tries again while the rate limit or a full queue refuses it. */
async function checkPatiently(source: Source, onState: (state: Item['state']) => void): Promise<CheckResult> {
  const query = {
    include: requestedDetails(),
    ...(keeps.get() && { store: 'true' }),
  };
  for (let attempt = 1; ; attempt += 1) {
    onState({ kind: 'sending', part: 0 });
    try {
      return await checkImage(source, query, (part) => onState({ kind: 'sending', part }));
    } catch (error) {
      const waits = error instanceof ApiError && ['rate_limited', 'overloaded'].includes(error.code);
      if (!waits || attempt > MAX_RETRIES) throw error;
      onState({ kind: 'held' });
      const seconds = Math.min(10, error.retryAfterS ?? 1);
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    }
  }
}
