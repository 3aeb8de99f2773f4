// Uploads the images of a folder one by one. Continues while the person uses other pages of the console.
import { ApiError, call, messageOf } from '../api.js';
import { createStore } from '../store.js';
import { canHelp } from '../try/refusals.js';

/** Number of concurrent uploads, so that one is sent while the service checks the others. */
const PARALLEL = 3;
const MAX_TRIES = 20;
const PAUSE_S = 2;

/** Progress of the upload of one folder. */
export interface Sending {
  /** Number of images whose upload has not finished. */
  readonly remaining: number;
  /** Reason why the upload stopped; an empty string while it runs. */
  readonly fault: string;
}

/** Progress of uploads by scan identifier. */
export const sendings = createStore<Readonly<Record<string, Sending>>>({});

/** Images of a folder that still have to be sent, and the number of running uploads. */
interface Queue {
  readonly waiting: { file: File; position: number }[];
  inFlight: number;
}

const queues = new Map<string, Queue>();

// Warns before the tab is closed, because the remaining images would be lost.
window.addEventListener('beforeunload', (event) => {
  if (Object.values(sendings.get()).some(({ remaining }) => remaining > 0)) event.preventDefault();
});

/** Uploads the images of a scan. The first image has position 1 in the scan. */
export function sendFolder(id: string, files: readonly File[]): void {
  const waiting = files.map((file, at) => ({ file, position: at + 1 }));
  queues.set(id, { waiting, inFlight: 0 });
  goOn(id);
}

/** Continues an upload that stopped. */
export function goOn(id: string): void {
  const queue = queues.get(id);
  if (!queue) return;
  note(id, { remaining: queue.waiting.length + queue.inFlight, fault: '' });
  for (let worker = 0; worker < PARALLEL; worker += 1) void run(id, queue);
}

/** Ends the upload of a cancelled scan. */
export function stopSending(id: string): void {
  queues.get(id)?.waiting.splice(0);
  queues.delete(id);
  sendings.set((all) => Object.fromEntries(Object.entries(all).filter(([other]) => other !== id)));
}

function note(id: string, change: Partial<Sending>): void {
  if (!queues.has(id)) return;
  sendings.set((all) => ({ ...all, [id]: { remaining: 0, fault: '', ...all[id], ...change } }));
}

async function run(id: string, queue: Queue): Promise<void> {
  for (let next = queue.waiting.shift(); next; next = queue.waiting.shift()) {
    queue.inFlight += 1;
    const fault = await sendPatiently(id, next.file, next.position).then(() => null, messageOf);
    queue.inFlight -= 1;
    if (fault !== null) queue.waiting.unshift(next);
    note(id, { remaining: queue.waiting.length + queue.inFlight, ...(fault !== null && { fault }) });
    if (fault !== null) return;
  }
}

async function sendPatiently(id: string, file: File, position: number): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const form = new FormData();
    form.append('file', file, 'image');
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
