// Methods of `telltale.scans`, which check long lists of images in the background.
import type { CallOptions } from './call-options.js';
import { queryOf } from './query.js';
import { toListFile, type ScanInput } from './scan-list.js';
import { pause, type Answer, type Call } from './transport.js';
import type { MarkKind, Scan, ScanEntry, ScanOptions } from './types.js';

/** Options of `create`. */
export interface CreateScanOptions extends CallOptions, ScanOptions {
  /** Key of 1 to 255 printable ASCII characters, so that a retry is not charged. Default: random. */
  readonly idempotencyKey?: string;
}

/** Options of `results`. */
export interface ResultsOptions extends CallOptions {
  /** True (default) waits for results until the scan has ended; false stops after the present results. */
  readonly follow?: boolean;
  /**
   * Returns only results whose image has a mark of one of these kinds. Requires a scan with `marks` in
   * `include`.
   */
  readonly mark?: readonly MarkKind[];
}

/** Options of `wait`. */
export interface WaitOptions extends CallOptions {
  /** Called with the state of the scan each time it is requested. */
  readonly onProgress?: (scan: Scan) => void;
}

/** First pause before a scan's state is requested again. Each further pause is 1.5 times as long. */
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 15_000;

/** Methods for scans. Each rejects with TelltaleError. */
export class Scans {
  readonly #call: (request: Call) => Promise<Answer>;

  constructor(call: (request: Call) => Promise<Answer>) {
    this.#call = call;
  }

  /** Starts a scan. Resolves before images are checked. A retry never starts a second scan. */
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

  /** Returns the current state of a scan. */
  get(id: string, { signal }: CallOptions = {}): Promise<Scan> {
    return this.#ask<Scan>({ method: 'GET', path: pathOf(id), signal });
  }

  /**
   * Returns at most 100 scans of the account, newest first. `cursor` is the id of the last scan of the
   * previous page.
   * @param options.before Deprecated: the former name of `cursor`.
   */
  async list(
    options: CallOptions & { readonly cursor?: string; readonly before?: string } = {},
  ): Promise<Scan[]> {
    const { signal, before, cursor = before } = options;
    const { scans } = await this.#ask<{ scans: Scan[] }>({
      method: 'GET',
      path: `/v1/scans${queryOf({ cursor })}`,
      signal,
    });
    return scans;
  }

  /** Cancels a scan. Its results remain available. Does nothing if the scan has ended. */
  cancel(id: string, { signal }: CallOptions = {}): Promise<Scan> {
    return this.#ask<Scan>({ method: 'DELETE', path: pathOf(id), signal });
  }

  /**
   * Yields the results of a scan in the order in which the checks ended. Fetches pages as needed. An entry is
   * a result or an error, with its line number in the list. With `follow`, waits for further results until
   * the scan has ended.
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
      // The cursor moves on even if no image of the page has one of the marks.
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

  /** Waits until the scan has ended and resolves to it. Its state is `finished` or `cancelled`. */
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
  return Math.min(MAX_PAUSE_MS, pauseMs * 1.5);
}
