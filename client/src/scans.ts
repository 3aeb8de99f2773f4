// Scans: long lists that the service checks in the background.
import type { CallOptions } from './call-options.js';
import { queryOf } from './query.js';
import { toListFile, type ScanInput } from './scan-list.js';
import { pause, type Answer, type Call } from './transport.js';
import type { MarkKind, Scan, ScanEntry, ScanOptions } from './types.js';

/** What beginning a scan takes. */
export interface CreateScanOptions extends CallOptions, ScanOptions {
  /** 1 to 255 printable ASCII characters; default: a new one for each call, the same for its repetitions. */
  readonly idempotencyKey?: string;
}

/** What reading results takes. */
export interface ResultsOptions extends CallOptions {
  /** False ends with the answers that are there; default: goes on until the scan has ended. */
  readonly follow?: boolean;
  /** Only results that carry a mark of one of these kinds. The scan's `include` must have had `marks`. */
  readonly mark?: readonly MarkKind[];
}

/** What waiting takes. */
export interface WaitOptions extends CallOptions {
  /** Called with the scan each time that it was asked for. */
  readonly onProgress?: (scan: Scan) => void;
}

/** The first pause between two looks at a scan; each next one is half as long again, up to the longest. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 15_000;

/** The methods of `telltale.scans`. Every one rejects as those of Telltale do. */
export class Scans {
  readonly #call: (request: Call) => Promise<Answer>;

  constructor(call: (request: Call) => Promise<Answer>) {
    this.#call = call;
  }

  /** Begins a scan of a list; the answer comes before the work. Repetitions of the call begin no second one. */
  async create(input: ScanInput, options: CreateScanOptions = {}): Promise<Scan> {
    const { signal, idempotencyKey, profile, include } = options;
    const list = await toListFile(input);
    let body: FormData | string;
    if (typeof list === 'string') body = JSON.stringify({ source: list, profile, include });
    else {
      body = new FormData();
      body.append('file', list, 'list');
      if (profile !== undefined) body.append('profile', profile);
      if (include !== undefined && include.length > 0) body.append('include', include.join(','));
    }
    return this.#ask<Scan>({ method: 'POST', path: '/v1/scans', body, signal, idempotencyKey });
  }

  /** A scan as it stands. */
  get(id: string, { signal }: CallOptions = {}): Promise<Scan> {
    return this.#ask<Scan>({ method: 'GET', path: pathOf(id), signal });
  }

  /** The scans of the account, newest first, at most 100; `before` names the last of a list to go on from. */
  async list(options: CallOptions & { readonly before?: string } = {}): Promise<Scan[]> {
    const { signal, before } = options;
    const { scans } = await this.#ask<{ scans: Scan[] }>({
      method: 'GET',
      path: `/v1/scans${queryOf({ before })}`,
      signal,
    });
    return scans;
  }

  /** Cancels a scan; its answers stay. One that has ended stays as it is. */
  cancel(id: string, { signal }: CallOptions = {}): Promise<Scan> {
    return this.#ask<Scan>({ method: 'DELETE', path: pathOf(id), signal });
  }

  /**
   * Every answer of a scan, in the order in which they were given; pages are fetched as they are needed. An answer is a
   * result or an error, with its line of the list. With `mark` only those that carry such a mark. Waits for answers to
   * come, until the scan has ended.
   */
  async *results(id: string, options: ResultsOptions = {}): AsyncGenerator<ScanEntry> {
    const { signal, follow = true } = options;
    const mark = options.mark?.join(',');
    let cursor = '0';
    let pauseMs = FIRST_PAUSE_MS;
    for (;;) {
      const path = `${pathOf(id)}/results${queryOf({ cursor, mark })}`;
      const { value, headers } = await this.#call({ method: 'GET', path, signal, format: 'lines' });
      yield* value as ScanEntry[];
      const next = headers.get('next-cursor');
      // A page may hold none that carries such a mark, and more may follow: the cursor tells.
      const isAhead = next !== null && next !== cursor;
      if (next === null || (!isAhead && !follow)) return;
      cursor = next;
      if (isAhead) {
        pauseMs = FIRST_PAUSE_MS;
        continue;
      }
      await pause(pauseMs, signal);
      pauseMs = growPause(pauseMs);
    }
  }

  /** The scan once it has finished or was cancelled: its state tells which. */
  async wait(id: string, { signal, onProgress }: WaitOptions = {}): Promise<Scan> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = growPause(pauseMs)) {
      const scan = await this.get(id, signal === undefined ? {} : { signal });
      onProgress?.(scan);
      if (scan.ended_at !== null) return scan;
      await pause(pauseMs, signal);
    }
  }

  async #ask<R>(request: Call): Promise<R> {
    return (await this.#call(request)).value as R;
  }
}

function pathOf(id: string): string {
  return `/v1/scans/${encodeURIComponent(id)}`;
}

function growPause(pauseMs: number): number {
  return Math.min(LONGEST_PAUSE_MS, pauseMs * 1.5);
}
