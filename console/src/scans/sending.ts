// The folders that this page is sending, image by image, whatever page of the console is shown meanwhile.
import { ApiError, call } from '../api.js';
import { createStore } from '../store.js';
import { canHelp } from '../try/refusals.js';

/** One is sent while others are computed. */
const PARALLEL = 3;
const MAX_TRIES = 20;
const PAUSE_S = 2;

/** The sending of one folder. */
export interface Sending {
  /** Images that are not sent yet. */
  readonly left: number;
  /** Why it halted; empty while it goes on. */
  readonly fault: string;
}

/** By the identifier of the scan. */
export const sendings = createStore<Readonly<Record<string, Sending>>>({});

const queues = new Map<string, { file: File; position: number }[]>();

// Who closes the page ends the scan.
window.addEventListener('beforeunload', (event) => {
  if (Object.values(sendings.get()).some(({ left }) => left > 0)) event.preventDefault();
});

/** Sends the images of a scan, the first at position 1. */
export function sendFolder(id: string, files: readonly File[]): void {
  queues.set(
    id,
    files.map((file, at) => ({ file, position: at + 1 })),
  );
  goOn(id);
}

/** Goes on after a halt. */
export function goOn(id: string): void {
  const queue = queues.get(id);
  if (!queue) return;
  note(id, { left: queue.length, fault: '' });
  for (let worker = 0; worker < PARALLEL; worker += 1) void run(id, queue);
}

/** Sends no more of it: the scan was cancelled. */
export function stopSending(id: string): void {
  queues.get(id)?.splice(0);
  queues.delete(id);
  sendings.set((all) => Object.fromEntries(Object.entries(all).filter(([other]) => other !== id)));
}

function note(id: string, change: Partial<Sending>): void {
  if (!queues.has(id)) return;
  sendings.set((all) => ({ ...all, [id]: { left: 0, fault: '', ...all[id], ...change } }));
}

async function run(id: string, queue: { file: File; position: number }[]): Promise<void> {
  for (let next = queue.shift(); next; next = queue.shift()) {
    try {
      await sendPatiently(id, next.file, next.position);
      note(id, { left: queue.length });
    } catch (error) {
      queue.unshift(next);
      note(id, { left: queue.length, fault: error instanceof Error ? error.message : String(error) });
      return;
    }
  }
}

async function sendPatiently(id: string, file: File, position: number): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const form = new FormData();
    form.append('file', file, 'picture');
    try {
      await call('PUT', `/scans/${id}/items/${position}`, form);
      return;
    } catch (error) {
      const waits = error instanceof ApiError && canHelp(error);
      if (!waits || tries >= MAX_TRIES) throw error;
      const seconds = Math.min(10, error.retryAfterS ?? PAUSE_S);
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    }
  }
}
