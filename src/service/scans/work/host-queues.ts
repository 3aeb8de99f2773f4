// How often a host is asked: some requests at once, and some a second, for all workers together.
import { listenForAbort } from '../../../base/concurrency/abort-listener.js';
import type { HostSlot, SlotTry } from './host-limits.js';

/** Longest pause before the next try: a slot may be given back sooner than its lease says. */
const MOST_PAUSE_MS = 250;
/** Of a pause, drawn at random: of several workers that wait, not the same one always comes first. */
const JITTER = 0.25;

/** Where slots are shared; each call may be repeated. */
export interface HostSlots {
  acquire(host: string): Promise<SlotTry>;
  giveBack(slot: HostSlot): Promise<void>;
}

interface Waiting {
  readonly start: (slot: HostSlot) => void;
  readonly fail: (error: unknown) => void;
}

/** A host that somebody waits for. */
interface Queue {
  readonly waiting: Set<Waiting>;
  /** Ends the pause before the next try. */
  wake: () => void;
}

/** Lets requests to a host through one by one. */
export class HostQueues {
  readonly #slots: HostSlots;
  readonly #queues = new Map<string, Queue>();

  constructor(slots: HostSlots) {
    this.#slots = slots;
  }

  /** Runs `work` when `host` may be asked. Rejects with the signal's reason if that comes first. */
  async run<T>(host: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const slot = await this.#wait(host, signal);
    try {
      return await work();
    } finally {
      void this.#giveBack(slot);
    }
  }

  /** Nobody waits for it: if it is lost, the slot is free when its lease ends. */
  async #giveBack(slot: HostSlot): Promise<void> {
    await this.#slots.giveBack(slot).catch(() => undefined);
    this.#queues.get(slot.host)?.wake();
  }

  #wait(host: string, signal: AbortSignal): Promise<HostSlot> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#queues.get(host)?.waiting.delete(waiting);
        stopListening();
      };
      const abort = (): void => {
        leave();
        reject(signal.reason as Error);
      };
      const waiting: Waiting = {
        start: (slot) => {
          leave();
          resolve(slot);
        },
        fail: (error) => {
          leave();
          reject(error);
        },
      };
      const stopListening = listenForAbort(signal, abort);
      const queue = this.#queues.get(host);
      if (queue) queue.waiting.add(waiting);
      else void this.#serve(host, waiting);
    });
  }

  /** Acquires slots, one after the other, while somebody waits for the host. */
  async #serve(host: string, first: Waiting): Promise<void> {
    const queue: Queue = { waiting: new Set([first]), wake: () => undefined };
    this.#queues.set(host, queue);
    try {
      while (queue.waiting.size > 0) {
        const tried = await this.#slots.acquire(host);
        const [next] = queue.waiting;
        if (!('acquired' in tried)) await pause(queue, tried.waitMs);
        else if (next) next.start(tried.acquired);
        else await this.#giveBack(tried.acquired);
      }
    } catch (error) {
      for (const { fail } of [...queue.waiting]) fail(error);
    }
    this.#queues.delete(host);
  }
}

function pause(queue: Queue, waitMs: number): Promise<void> {
  const ms = Math.min(Math.max(1, waitMs), MOST_PAUSE_MS) * (1 + JITTER * Math.random());
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    queue.wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}
