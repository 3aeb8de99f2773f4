// Checks of the past: what the service's history keeps of the account's own.
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

/** What to list; `from` and `to` as a day (YYYY-MM-DD), a moment as RFC 3339 has it, or a Date. */
export interface ListChecksOptions extends CallOptions {
  /** The reference that was sent with the check. */
  readonly ref?: string;
  /** The verdict. */
  readonly isAi?: boolean;
  readonly from?: string | Date;
  /** A day is included; a moment is not. */
  readonly to?: string | Date;
  /** Checks of a page, 1 to 100; default 50. */
  readonly limit?: number;
  /** `next` of the page before. */
  readonly cursor?: string;
}

/** The methods of `telltale.checks`. Every one rejects as those of Telltale do; none is charged. */
export class Checks {
  readonly #call: (request: Call) => Promise<Answer>;

  constructor(call: (request: Call) => Promise<Answer>) {
    this.#call = call;
  }

  /** One check; rejects with `not_found` if the history does not keep it. */
  get(id: string, { signal }: CallOptions = {}): Promise<PastCheck> {
    return this.#ask<PastCheck>({ method: 'GET', path: pathOf(id), signal });
  }

  /** A page of checks, newest first. */
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

  /** Every check, newest first, page after page as they are needed. */
  async *each(options: ListChecksOptions = {}): AsyncGenerator<PastCheck> {
    for (let cursor = options.cursor; ;) {
      const page = await this.list({ ...options, ...(cursor !== undefined && { cursor }) });
      yield* page.checks;
      if (page.next === null) return;
      cursor = page.next;
    }
  }

  /** Erases a check and its kept image for good; what was charged stays charged. Rejects with `not_found` as `get` does. */
  erase(id: string, { signal }: CallOptions = {}): Promise<Erased> {
    return this.#ask<Erased>({ method: 'DELETE', path: pathOf(id), signal });
  }

  /**
   * Reports that a verdict was wrong: `isAi` is the right one. A second report takes the place of the first; one that says
   * what the verdict says is refused.
   */
  feedback(
    id: string,
    { isAi, note }: { readonly isAi: boolean; readonly note?: string },
    { signal }: CallOptions = {},
  ): Promise<Feedback> {
    const body = JSON.stringify({ is_ai: isAi, note });
    return this.#ask<Feedback>({ method: 'POST', path: `${pathOf(id)}/feedback`, body, signal });
  }

  /** Appeals against a verdict with the original of its image; `remark` is for the operator. Not charged. */
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

  /** The verdict, and the appeals against it with what was decided. */
  appeals(id: string, { signal }: CallOptions = {}): Promise<AppealList> {
    return this.#ask<AppealList>({ method: 'GET', path: `${pathOf(id)}/appeals`, signal });
  }

  /** A link for a person who appeals without a key; it works for `days` (1 to 90, default 14). */
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

function textOf(moment: string | Date | undefined): string | undefined {
  return moment instanceof Date ? moment.toISOString() : moment;
}
