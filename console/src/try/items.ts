// The pictures of this session: sent two at a time, kept in a list until the page is closed.
import type { CheckResult } from '../../../src/check/present.js';
import { ApiError, checkPicture, drawPreview, type Source } from '../api.js';
import { createStore } from '../store.js';
import { DETAILS } from './details.js';
import { firstWaiting } from './turn.js';

/** Pictures taken at once. */
export const MAX_AT_ONCE = 8;
/** Two: one is sent while one is computed. */
const PARALLEL = 2;
const MAX_RETRIES = 6;

/** One picture of the list. */
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
    | { readonly kind: 'done'; readonly result: CheckResult; readonly isReported: boolean }
    | { readonly kind: 'refused'; readonly error: ApiError };
}

/** Newest first. */
export const items = createStore<readonly Item[]>([]);
/** The one that is shown large. */
export const selected = createStore<number | null>(null);
/** Whether pictures are to be kept (`store=true`). */
export const keeps = createStore(false);

let lastId = 0;
let running = 0;
const previews = new Set<number>();

/** Puts pictures on the list and checks them; gives how many of them were too many. */
export function add(sources: readonly Source[]): number {
  const taken = sources.slice(0, MAX_AT_ONCE);
  const added = taken.map((source): Item => {
    lastId += 1;
    return {
      id: lastId,
      name: source.kind === 'file' ? source.file.name || 'pasted picture' : source.url,
      source,
      shownUrl: source.kind === 'file' ? URL.createObjectURL(source.file) : null,
      state: { kind: 'waiting' },
    };
  });
  items.set((before) => [...added, ...before]);
  if (added[0]) selected.set(() => added[0]?.id ?? null);
  for (const item of added) if (item.source.kind === 'url') void showPreview(item);
  while (running < PARALLEL && next()) void run();
  return sources.length - taken.length;
}

/** Asks the service to draw a picture that the browser can't show; once a picture. */
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
  return firstWaiting(items.get());
}

function update(id: number, change: Partial<Item>): void {
  items.set((before) => before.map((item) => (item.id === id ? { ...item, ...change } : item)));
}

async function run(): Promise<void> {
  running += 1;
  for (let item = next(); item; item = next()) {
    const { id, source } = item;
    const onProgress = (part: number): void => update(id, { state: { kind: 'sending', part } });
    onProgress(0);
    try {
      const result = await checkPatiently(source, onProgress);
      update(id, { state: { kind: 'done', result, isReported: false } });
    } catch (error) {
      const fault = error instanceof ApiError ? error : new ApiError('unreachable', String(error), 0);
      update(id, { state: { kind: 'refused', error: fault } });
    }
  }
  running -= 1;
}

/** Waits where the service says that waiting helps: a plan's requests a second, or a full queue. */
async function checkPatiently(source: Source, onProgress: (part: number) => void): Promise<CheckResult> {
  const query = {
    include: DETAILS,
    ...(keeps.get() && { store: 'true' }),
  };
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await checkPicture(source, query, onProgress);
    } catch (error) {
      const waits = error instanceof ApiError && ['rate_limited', 'overloaded'].includes(error.code);
      if (!waits || attempt > MAX_RETRIES) throw error;
      const seconds = Math.min(10, error.retryAfterS ?? 1);
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    }
  }
}
