// Runs scans on a real PostgreSQL: a service, workers, a server that stands for the internet, and checks of
// all counts.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import type { Config } from '../../src/config.js';
import type { ScanListener, PresentedScan } from '../../src/service/scans/scan.js';
import { startScanWorker, type ScanWorker } from '../../src/service/worker.js';
import type { PostgresDatabases } from './postgres.js';
import { openBench, testConfig, type ServiceBench } from './service.js';

/** A line of the results. */
export interface Entry {
  readonly line: number;
  readonly ref?: string;
  readonly id?: string;
  readonly is_ai?: boolean;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Service, settings and workers for tests of scans. */
export interface ScanBench {
  readonly service: ServiceBench;
  readonly config: Config;
  /** Environment variables for a program that uses the same database. */
  readonly env: Record<string, string>;
  startWorker(options?: {
    isAllowed?: (address: string) => boolean;
    /** Time limit for an image host in milliseconds. Default: as in production. */
    timeoutMs?: number;
    listener?: ScanListener;
  }): Promise<ScanWorker>;
  close(): Promise<void>;
}

/** Opens a service on a new database of `postgres`. */
export async function openScanBench(
  postgres: PostgresDatabases,
  changes: Partial<Config> = {},
): Promise<ScanBench> {
  const folder = mkdtempSync(join(tmpdir(), 'telltale-scans-'));
  const url = postgres.createDatabase();
  const setting = { kind: 'postgres', url } as const;
  const config = testConfig(folder, setting, { threads: 1, views: 1, ...changes });
  const service = await openBench(setting, { threads: 1, views: 1, ...changes });
  const workers: ScanWorker[] = [];
  return {
    service,
    config,
    env: {
      TELLTALE_DATABASE_URL: url,
      TELLTALE_DATA_DIR: folder,
      TELLTALE_THREADS: '1',
      TELLTALE_VIEWS: '1',
    },
    async startWorker({
      isAllowed = (address: string) => address === '127.0.0.1',
      timeoutMs,
      listener,
    } = {}) {
      const log = pino({ level: 'silent' });
      const resolve = (): Promise<string[]> => Promise.resolve(['127.0.0.1']);
      const fetcher = { resolve, isAllowed, ...(timeoutMs !== undefined && { timeoutMs }) };
      const worker = await startScanWorker(config, { log, fetcher, ...(listener && { listener }) });
      workers.push(worker);
      return worker;
    },
    async close() {
      for (const worker of workers) await worker.stop();
      await service.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A local server that stands for the internet. */
export interface Internet {
  readonly port: number;
  close(): void;
}

/** Starts a server on a free port of this machine, which responds with `listener`. */
export async function openInternet(listener: RequestListener): Promise<Internet> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Calls the scan API with one key. */
export class ScanCaller {
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#url = `${url}/v1/scans`;
    this.#key = key;
  }

  call(path = '', init: RequestInit = {}): Promise<Response> {
    const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${this.#key}` };
    return fetch(this.#url + path, { ...init, headers });
  }

  postList(
    list: BlobPart,
    fields: Record<string, string> = {},
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('file', new Blob([list]), 'list');
    return this.call('', { method: 'POST', body: form, headers });
  }

  /** Starts a scan of `urls`. */
  async start(urls: readonly string[], headers: Record<string, string> = {}): Promise<PresentedScan> {
    const lines = urls.map((url, index) => JSON.stringify({ url, ref: `item-${index + 1}` }));
    const response = await this.postList(lines.join('\n'), {}, headers);
    const text = await response.text();
    assert.equal(response.status, 202, text);
    return JSON.parse(text) as PresentedScan;
  }

  async read(id: string): Promise<PresentedScan> {
    return (await (await this.call(`/${id}`)).json()) as PresentedScan;
  }

  async cancel(id: string): Promise<PresentedScan> {
    return (await (await this.call(`/${id}`, { method: 'DELETE' })).json()) as PresentedScan;
  }

  /** Waits until `isReached` returns true, by default until the scan has ended. */
  async wait(
    id: string,
    isReached = ({ state }: PresentedScan): boolean => state === 'finished' || state === 'cancelled',
  ): Promise<PresentedScan> {
    for (;;) {
      const scan = await this.read(id);
      if (isReached(scan)) return scan;
      // Waits so that the calls stay within the request rate of the smallest plan with scans.
      await setTimeout(300);
    }
  }

  /** Returns all results, page by page. */
  async results(id: string): Promise<Entry[]> {
    const entries: Entry[] = [];
    for (let cursor: string | null = '0'; cursor !== null;) {
      const response: Response = await this.call(`/${id}/results?cursor=${cursor}`);
      assert.equal(response.status, 200);
      const lines = (await response.text()).split('\n').filter((line) => line !== '');
      entries.push(...lines.map((line) => JSON.parse(line) as Entry));
      cursor = response.headers.get('next-cursor');
      if (lines.length === 0) break;
    }
    return entries;
  }
}

/**
 * Compares a finished scan with its tables: exactly one result per image, one charge per result in all three
 * counters, and no reserved quota left.
 */
export async function assertSettled(bench: ScanBench, caller: ScanCaller, id: string): Promise<Entry[]> {
  const scan = await caller.read(id);
  const entries = await caller.results(id);
  assert.equal(entries.length, scan.counts.checked + scan.counts.failed);
  assert.equal(new Set(entries.map(({ line }) => line)).size, entries.length, 'none is answered twice');
  if (scan.state === 'finished') assert.equal(entries.length, scan.counts.items);
  const results = entries.filter(({ error }) => error === undefined);
  assert.equal(results.length, scan.counts.checked);
  assert.equal(new Set(results.map((entry) => entry.id)).size, results.length);
  await bench.service.database.run(async (queries) => {
    const row = await queries('scans').where({ id }).first<{ account_id: string }>('account_id');
    const where = { account_id: row.account_id };
    const checks = await queries('checks').where(where).select<{ id: string }[]>('id');
    assert.deepEqual(new Set(checks.map((check) => check.id)), new Set(results.map((entry) => entry.id)));
    const periods = await queries('usage_periods')
      .where(where)
      .select<{ checks: number; reserved: number }[]>();
    assert.deepEqual(
      periods.map(({ checks, reserved }) => ({ checks, reserved })),
      [{ checks: results.length, reserved: 0 }],
    );
    const days = await queries('usage_days').where(where).sum<{ sum: string | null }[]>('checks as sum');
    assert.equal(Number(days[0]?.sum ?? 0), results.length);
  });
  return entries;
}

/** Waits until lists that became no scan are deleted, because their senders get the response before that. */
export async function waitForNoLists({ service: { database } }: ScanBench): Promise<void> {
  const readReceiving = () =>
    database.run((queries) => queries('scans').where({ state: 'receiving' }).select('id'));
  while ((await readReceiving()).length > 0) await setTimeout(20);
  await database.run(async (queries) => {
    const orphans = await queries('scan_items')
      .whereNotIn('scan_id', queries('scans').select('id'))
      .count<{ count: number }[]>('* as count');
    assert.deepEqual(orphans, [{ count: 0 }]);
  });
}
