// Runs webhooks on a real PostgreSQL, delivered by this process to a real receiver.
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { ensureAccount } from '../../src/accounts/accounts.js';
import { openDatabase, type Database } from '../../src/storage/db/database.js';
import { openQueue, type Queue } from '../../src/storage/queue/queue.js';
import {
  DELIVERY_JOBS,
  listDeliveries,
  recordEvent,
  type Delivery,
} from '../../src/service/webhooks/deliveries.js';
import { createEndpoint, type NewEndpoint, type EventType } from '../../src/service/webhooks/endpoints.js';
import { startDeliveries, type DeliveryDeps } from '../../src/service/webhooks/work.js';
import type { PostgresDatabases } from './postgres.js';
import { openReceiver, type Receiver } from './webhook-receiver.js';

/** Database, queue and receiver for tests of webhooks. */
export class WebhookBench {
  #logged: string[] = [];
  #count = 0;

  private constructor(
    readonly database: Database,
    readonly queue: Queue,
    readonly receiver: Receiver,
  ) {}

  /** Opens a bench on a new database of `postgres`. */
  static async open(postgres: PostgresDatabases): Promise<WebhookBench> {
    const url = postgres.createDatabase();
    const database = await openDatabase({ kind: 'postgres', url });
    const queue = await openQueue(url, (error) => assert.fail(String(error)));
    await queue.define(DELIVERY_JOBS);
    return new WebhookBench(database, queue, await openReceiver());
  }

  /** Returns the lines logged since the last `reset`. */
  get logged(): readonly string[] {
    return this.#logged;
  }

  /** Clears the log, and lets the receiver respond with 204 again. */
  reset(): void {
    this.#logged = [];
    this.receiver.answer((_req, res) => res.writeHead(204).end());
  }

  /** Delivers webhooks in this process until the test has ended. */
  async work<T>(test: () => Promise<T>, changes: Partial<DeliveryDeps> = {}): Promise<T> {
    const { database, queue } = this;
    const log = pino({ level: 'info' }, { write: (line: string) => void this.#logged.push(line) });
    const fetcher = this.receiver.world;
    const stop = await startDeliveries({ database, queue, log, fetcher, pauseMs: () => 50, ...changes });
    try {
      return await test();
    } finally {
      await stop();
    }
  }

  /** Creates a webhook with its own account and path. */
  async make(events?: readonly EventType[]): Promise<NewEndpoint & { readonly path: string }> {
    this.#count += 1;
    const path = `/${this.#count}`;
    const { id } = await ensureAccount(this.database, `account ${this.#count}`);
    const url = this.receiver.url + path;
    const endpoint = await createEndpoint(this.database, { accountId: id, url, ...(events && { events }) });
    return { ...endpoint, path };
  }

  emitEvent(accountId: string, type: EventType = 'scan.finished', data: object = {}): Promise<void> {
    const event = { type, at: new Date(), data };
    return this.database.transaction((queries) => recordEvent(queries, this.queue, accountId, event));
  }

  async logOf({ id }: { id: string }): Promise<Delivery[]> {
    return [...(await listDeliveries(this.database, id)).rows];
  }

  /** Waits until the newest delivery has ended and returns it. */
  async whenEnded(endpoint: { id: string }): Promise<Delivery> {
    for (;;) {
      const [latest] = await this.logOf(endpoint);
      if (latest && latest.state !== 'pending') return latest;
      await setTimeout(20);
    }
  }

  async close(): Promise<void> {
    this.receiver.close();
    await this.queue.close();
    await this.database.close();
  }
}
