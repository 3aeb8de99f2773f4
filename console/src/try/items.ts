// The images of this tab: checked two at a time in the order given, and known again by name when the page is loaded anew.
import type { CheckResult } from '../../../src/library/check/result-schema.js';
import type { ShownCheck } from '../../../src/service/console/shapes.js';
import { ApiError, call, checkImage, drawPreview, type Source } from '../api.js';
import { createStore } from '../store.js';
import { detailsToAsk } from './details.js';
import { forgetItems, readItems, writeItems } from './remembered.js';
import { canHelp } from './refusals.js';
import { firstWaiting } from './turn.js';

/** Two: one is sent while one is computed. */
const PARALLEL = 2;
const MAX_RETRIES = 6;

/** One image of the list. */
export interface Item {
  readonly id: number;
  readonly name: string;
  readonly source: Source;
  /** What the browser shows: the file itself, or a PNG that the service drew; null while there is none. */
  readonly shownUrl: string | null;
  readonly state:
    | { readonly kind: 'waiting' }
    /** Part that is sent, 0..1; 1: it is being checked. */
    | { readonly kind: 'sending'; readonly part: number }
    /** The service takes no more for now; it is asked again by itself. */
    | { readonly kind: 'held' }
    | { readonly kind: 'done'; readonly result: CheckResult; readonly isReported: boolean }
    | { readonly kind: 'refused'; readonly error: ApiError };
}

/** An image from before the page was loaded anew: what the history knows of it, without the image. */
export interface PastItem {
  readonly id: number;
  readonly name: string;
  readonly source: null;
  readonly state: {
    readonly kind: 'past';
    /** Identifier of its check; null where it was not checked. */
    readonly checkId: string | null;
    /** Undefined until it is there; null where the history has none. */
    readonly check: ShownCheck | null | undefined;
  };
}

/** In the order given. */
export const items = createStore<readonly (Item | PastItem)[]>([]);
/** The one that is shown large. */
export const selected = createStore<number | null>(null);
/** Whether images are to be kept (`store=true`). */
export const keeps = createStore(false);

let lastId = 0;
let running = 0;
const previews = new Set<number>();
/** Whose list it is; null while nobody is signed in. */
let memberId: string | null = null;

items.subscribe(() => {
  if (memberId !== null) writeItems(memberId, items.get().map(toRemembered));
});

function toRemembered({ name, source, state }: Item | PastItem): { name: string; checkId: string | null } {
  const checkId = state.kind === 'done' ? state.result.id : state.kind === 'past' ? state.checkId : null;
  return { name: source?.kind === 'url' ? withoutQuery(source.url) : name, checkId };
}

/** A query may hold what lets people in. */
function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/, '');
}

/** Shows the list that this tab had of the member, before the page was loaded anew. */
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

/** Forgets all: the results of one person are none of the next one's. */
export function forget(): void {
  memberId = null;
  items.set(() => []);
  forgetItems();
}

/** Puts images on the list and checks them, two at a time. */
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

/** Checks again what failed, if that can help. */
export function retry(failed: readonly Item[]): void {
  for (const { id } of failed.filter(isRetriable)) update(id, { state: { kind: 'waiting' } });
  start();
}

/** Whether the same image may be checked if it is sent again. */
export function isRetriable(item: Item | PastItem): item is Item {
  return item.state.kind === 'refused' && canHelp(item.state.error);
}

/** Asks the service to draw an image that the browser can't show; once an image. */
export async function showPreview(item: Item): Promise<void> {
  if (previews.has(item.id)) return;
  previews.add(item.id);
  const url = await drawPreview(item.source).then(
    (blob) => URL.createObjectURL(blob),
    () => null,
  );
  update(item.id, { shownUrl: url });
}

/** Notes that the verdict was reported as wrong. */
export function noteReport(item: Item): void {
  if (item.state.kind === 'done') update(item.id, { state: { ...item.state, isReported: true } });
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

/** Waits where the service says that waiting helps: a plan's requests a second, or a full queue. */
async function checkPatiently(source: Source, onState: (state: Item['state']) => void): Promise<CheckResult> {
  const query = {
    include: detailsToAsk(),
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
