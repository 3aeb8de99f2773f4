// Methods of `telltale.checks`: earlier checks of the account in the service's history.
import type { CallOptions } from './call-options.js';
import { queryOf } from './query.js';
import type { Answer, Call } from './transport.js';
import type {
  Appeal,
  AppealLink,
  AppealList,
  CheckList,
  CheckListQuery,
  Erased,
  Feedback,
  PastCheck,
} from './types.js';

/** Filters; `from` and `to` are days (YYYY-MM-DD), RFC 3339 times or Dates. */
export interface ListChecksOptions extends CallOptions {
  /** Reference that was sent with the check. */
  readonly ref?: string;
  /** Verdict. */
  readonly isAi?: boolean;
  readonly from?: string | Date;
  /** End of the range: a day is included, a time is not. */
  readonly to?: string | Date;
  /** Number of checks per page, 1 to 100; default 50. */
  readonly limit?: number;
  /** `next` of the previous page. */
  readonly cursor?: string;
}

/** The methods of `telltale.checks`. Each rejects with TelltaleError. None is charged. */
export class Checks {
  readonly #call: (request: Call) => Promise<Answer>;

  constructor(call: (request: Call) => Promise<Answer>) {
    this.#call = call;
  }

  /** Returns a check. Rejects with `not_found` if the history does not have it. */
  get(id: string, { signal }: CallOptions = {}): Promise<PastCheck> {
    return this.#ask<PastCheck>({ method: 'GET', path: pathOf(id), signal });
  }

  /** Returns a page of checks, newest first. */
  list(options: ListChecksOptions = {}): Promise<CheckList> {
    const { signal, ref, isAi, from, to, limit, cursor } = options;
    const query: Record<keyof CheckListQuery, string | undefined> = {
      ref,
      is_ai: isAi === undefined ? undefined : String(isAi),
      from: textOf(from),
      to: textOf(to),
      limit: limit === undefined ? undefined : String(limit),
      cursor,
    };
    return this.#ask<CheckList>({ method: 'GET', path: `/v1/checks${queryOf(query)}`, signal });
  }

  /** Yields every check, newest first, and fetches pages as needed. */
  async *each(options: ListChecksOptions = {}): AsyncGenerator<PastCheck> {
    for (let cursor = options.cursor; ;) {
      const page = await this.list({ ...options, ...(cursor !== undefined && { cursor }) });
      yield* page.checks;
      if (page.next === null) return;
      cursor = page.next;
    }
  }

  /** Erases a check and its stored image. The charge remains. Rejects with `not_found` as `get` does. */
  erase(id: string, { signal }: CallOptions = {}): Promise<Erased> {
    return this.#ask<Erased>({ method: 'DELETE', path: pathOf(id), signal });
  }

  /**
   * Reports a wrong verdict; `isAi` is the correct one. A second report replaces the first. A report that agrees with the
   * verdict is refused.
   */
  feedback(
    id: string,
    { isAi, note }: { readonly isAi: boolean; readonly note?: string },
    { signal }: CallOptions = {},
  ): Promise<Feedback> {
    const body = JSON.stringify({ is_ai: isAi, note });
    return this.#ask<Feedback>({ method: 'POST', path: `${pathOf(id)}/feedback`, body, signal });
  }

  /** Appeals a verdict with the original of the image. `remark` is for the operator. Not charged. */
  appeal(
    id: string,
    original: Blob | Uint8Array,
    { remark, signal }: CallOptions & { readonly remark?: string } = {},
  ): Promise<Appeal> {
    const body = new FormData();
    body.append(
      'file',
      original instanceof Blob ? original : new Blob([new Uint8Array(original)]),
      'original',
    );
    if (remark !== undefined) body.append('remark', remark);
    return this.#ask<Appeal>({ method: 'POST', path: `${pathOf(id)}/appeals`, body, signal });
  }

  /** Returns the verdict and its appeals with their decisions. */
  appeals(id: string, { signal }: CallOptions = {}): Promise<AppealList> {
    return this.#ask<AppealList>({ method: 'GET', path: `${pathOf(id)}/appeals`, signal });
  }

  /** Creates a link for a person who appeals without a key. It expires after `days` (1 to 90, default 14). */
  appealLink(
    id: string,
    { days, signal }: CallOptions & { readonly days?: number } = {},
  ): Promise<AppealLink> {
    const body = JSON.stringify({ days });
    return this.#ask<AppealLink>({ method: 'POST', path: `${pathOf(id)}/appeal-links`, body, signal });
  }

  async #ask<R>(request: Call): Promise<R> {
    return (await this.#call(request)).value as R;
  }
}

function pathOf(id: string): string {
  return `/v1/checks/${encodeURIComponent(id)}`;
}

function textOf(time: string | Date | undefined): string | undefined {
  return time instanceof Date ? time.toISOString() : time;
}
