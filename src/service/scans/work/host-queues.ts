// Limits the requests of all scan workers to one web host: concurrent requests and requests per second.
import { listenForAbort } from 'telltale-engine/internal/base/concurrency.js';
import type { Database } from '../../../storage/db/database.js';

/** Maximum number of concurrent requests to a host. */
const SLOTS = 4;
/** Minimum milliseconds between the starts of two requests to a host. */
const SPACING_MS = 100;
/** Milliseconds after which an unreturned slot is free again; longer than any fetch may take. */
const LEASE_MS = 20_000;
/** Maximum length of a host name with port. Real names are shorter, and database indexes limit the length. */
const MAX_HOST_LENGTH = 260;

/** An acquired slot: the right to run one request to a host. */
export interface HostSlot {
  readonly host: string;
  readonly slot: number;
  readonly freeAt: number;
}

/** Result of trying to acquire a slot: the slot, or the milliseconds until a slot may be free. */
type SlotTry = { readonly acquired: HostSlot } | { readonly waitMs: number };

/**
 * Tries to acquire a slot of the host `name`, in one statement. Locks the host's rows in order, so that
 * workers see each other's requests. Uses only the database's clock, because clocks of workers may differ.
 */
export async function acquireHostSlot(database: Database, name: string): Promise<SlotTry> {
  const host = name.slice(0, MAX_HOST_LENGTH);
  return database.run(async (queries) => {
    for (;;) {
      const { rows } = await queries.raw<{ rows: AcquireRow[] }>(ACQUIRE, [
        host,
        SPACING_MS,
        LEASE_MS,
        host,
        SPACING_MS,
      ]);
      const [acquireRow] = rows;
      if (acquireRow && acquireRow.slot !== null)
        return { acquired: { host, slot: acquireRow.slot, freeAt: acquireRow.free_at } };
      if (acquireRow && acquireRow.wait_ms !== null) return { waitMs: acquireRow.wait_ms };
      await queries.raw(
        `insert into scan_host_slots (host, slot, started_at, free_at)
         select ?, generate_series(1, ?::integer), 0, 0 on conflict do nothing`,
        [host, SLOTS],
      );
    }
  });
}

interface AcquireRow {
  readonly slot: number | null;
  readonly free_at: number;
  /** Milliseconds to wait, or null if the host has no rows yet. */
  readonly wait_ms: number | null;
}

const ACQUIRE = `
  with mine as materialized (
    select slot, started_at, free_at from scan_host_slots where host = ? order by slot for update
  ), clock as materialized (
    select max(started_at) as last, min(free_at) as free,
      (extract(epoch from clock_timestamp()) * 1000)::bigint as now from mine
  ), choice as (
    select slot, now from mine, clock where free_at <= now and last + ? <= now order by slot limit 1
  ), acquired as (
    update scan_host_slots as s set started_at = now, free_at = now + ? from choice
    where s.host = ? and s.slot = choice.slot returning s.slot, s.free_at
  )
  select acquired.slot, acquired.free_at, (greatest(last + ?, free) - now)::float8 as wait_ms
  from clock left join acquired on true`;

/** Returns a slot, unless its lease expired and another worker has it. */
export async function returnHostSlot(database: Database, { host, slot, freeAt }: HostSlot): Promise<void> {
  await database.run((queries) =>
    queries('scan_host_slots').where({ host, slot, free_at: freeAt }).update({ free_at: 0 }),
  );
}

/** Deletes the slots of hosts that had no request for an hour. */
export async function sweepHostSlots(database: Database): Promise<void> {
  const before = Date.now() - 3_600_000;
  await database.run((queries) =>
    queries('scan_host_slots').where('started_at', '<', before).where('free_at', '<', before).delete(),
  );
}

/** Maximum milliseconds until the next try, because a slot may be returned before its lease ends. */
const MAX_PAUSE_MS = 250;
/** Maximum random addition to a pause, as a share, so that waiting workers do not try simultaneously. */
const JITTER = 0.25;

/** Storage of the slots that limit requests to a host. Every call is safe to repeat. */
interface HostSlots {
  acquire(host: string): Promise<SlotTry>;
  release(slot: HostSlot): Promise<void>;
}

interface Waiting {
  readonly start: (slot: HostSlot) => void;
  readonly fail: (error: unknown) => void;
}

/** Requests that wait for a host. */
interface Queue {
  readonly waiting: Set<Waiting>;
  /** Ends the pause before the next try. */
  wake: () => void;
}

/** Starts requests to each host as soon as the limits of the host allow. */
export class HostQueues {
  readonly #slots: HostSlots;
  readonly #queues = new Map<string, Queue>();

  constructor(slots: HostSlots) {
    this.#slots = slots;
  }

  /** Runs `work` when the limits of `host` allow. Rejects with the signal's reason if that comes first. */
  async run<T>(host: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const slot = await this.#wait(host, signal);
    try {
      return await work();
    } finally {
      void this.#release(slot);
    }
  }

  /** Returns a slot. Ignores errors, because the slot becomes free when its lease ends. */
  async #release(slot: HostSlot): Promise<void> {
    await this.#slots.release(slot).catch(() => undefined);
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

  /** Acquires slots for the waiting requests of a host, one by one. */
  async #serve(host: string, first: Waiting): Promise<void> {
    const queue: Queue = { waiting: new Set([first]), wake: () => undefined };
    this.#queues.set(host, queue);
    try {
      while (queue.waiting.size > 0) {
        const slotTry = await this.#slots.acquire(host);
        const [next] = queue.waiting;
        if (!('acquired' in slotTry)) await pause(queue, slotTry.waitMs);
        else if (next) next.start(slotTry.acquired);
        else await this.#release(slotTry.acquired);
      }
    } catch (error) {
      for (const { fail } of [...queue.waiting]) fail(error);
    }
    this.#queues.delete(host);
  }
}

function pause(queue: Queue, waitMs: number): Promise<void> {
  const ms = Math.min(Math.max(1, waitMs), MAX_PAUSE_MS) * (1 + JITTER * Math.random());
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    queue.wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}
