// Methods of `telltale.checks`: read, erase and appeal earlier checks, which the service has in its history.
import type { CallOptions } from './call-options.js';
import { queryOf } from './query.js';
import type { Answer, Call } from './transport.js';
import type {
  Appeal,
  AppealLink,
  AppealLinkList,
  AppealList,
  CheckList,
  CheckListQuery,
  Erased,
  Feedback,
  ListedAppealLink,
  PastCheck,
  Seen,
} from './types.js';

/** Filters of a list of checks. `from` and `to` are days (YYYY-MM-DD), RFC 3339 times or Dates. */
export interface ListChecksOptions extends CallOptions {
  /** Reference that was sent with the check (`ref`). */
  readonly ref?: string;
  /** True selects checks with an AI verdict, false all others. */
  readonly isAi?: boolean;
  readonly from?: string | Date;
  /** End of the range. A day is included; a time is excluded. */
  readonly to?: string | Date;
  /** Number of checks on a page, 1 to 100; default 50. */
  readonly limit?: number;
  /** Cursor of the page: the value of `next` on the previous page. */
  readonly cursor?: string;
}

/** Methods for earlier checks. Each rejects with TelltaleError, and none costs anything. */
export class Checks {
  readonly #call: (request: Call) => Promise<Answer>;

  constructor(call: (request: Call) => Promise<Answer>) {
    this.#call = call;
  }

  /** Returns an earlier check. Rejects with `not_found` if it is no longer in the history. */
  get(id: string, { signal }: CallOptions = {}): Promise<PastCheck> {
    return this.#ask<PastCheck>({ method: 'GET', path: pathOf(id), signal });
  }

  /** Returns one page of checks, newest first. */
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

  /** Yields all checks, newest first. Fetches pages as needed. */
  async *each(options: ListChecksOptions = {}): AsyncGenerator<PastCheck> {
    for (let cursor = options.cursor; ;) {
      const page = await this.list({ ...options, ...(cursor !== undefined && { cursor }) });
      yield* page.checks;
      if (page.next === null) return;
      cursor = page.next;
    }
  }

  /** Erases a check and its stored image. Does not refund the check. Rejects with `not_found` like `get`. */
  erase(id: string, { signal }: CallOptions = {}): Promise<Erased> {
    return this.#ask<Erased>({ method: 'DELETE', path: pathOf(id), signal });
  }

  /**
   * Reports a verdict as wrong; `isAi` is the correct one. A second report replaces the first. The service
   * refuses a report that agrees with the verdict.
   */
  feedback(
    id: string,
    { isAi, note }: { readonly isAi: boolean; readonly note?: string },
    { signal }: CallOptions = {},
  ): Promise<Feedback> {
    const body = JSON.stringify({ is_ai: isAi, note });
    return this.#ask<Feedback>({ method: 'POST', path: `${pathOf(id)}/feedback`, body, signal });
  }

  /**
   * Finds earlier checks of the same image, and a known image that matches, without a check. The account must store
   * hashes. Costs nothing.
   */
  findSeen(image: Blob | Uint8Array, { signal }: CallOptions = {}): Promise<Seen> {
    const body = new FormData();
    body.append('file', image instanceof Blob ? image : new Blob([new Uint8Array(image)]), 'image');
    return this.#ask<Seen>({ method: 'POST', path: '/v1/seen', body, signal });
  }

  /** Appeals a verdict with the original image. `remark` is for the operator who decides. Costs nothing. */
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

  /** Returns the verdict of a check, and its appeals with the decisions. */
  appeals(id: string, { signal }: CallOptions = {}): Promise<AppealList> {
    return this.#ask<AppealList>({ method: 'GET', path: `${pathOf(id)}/appeals`, signal });
  }

  /** Returns a reduced copy of the checked image as JPEG. Rejects with `not_found` if the image is not stored. */
  async appealImage(id: string, { signal }: CallOptions = {}): Promise<Uint8Array> {
    const path = `${pathOf(id)}/appeals/image`;
    return (await this.#call({ method: 'GET', path, signal, format: 'bytes' })).value as Uint8Array;
  }

  /** Creates a link to appeal without an API key. It expires after `days` (1 to 90, default 14). */
  appealLink(
    id: string,
    { days, signal }: CallOptions & { readonly days?: number } = {},
  ): Promise<AppealLink> {
    const body = JSON.stringify({ days });
    return this.#ask<AppealLink>({ method: 'POST', path: `${pathOf(id)}/appeal-links`, body, signal });
  }

  /** Returns the links of a check, without their tokens. */
  appealLinks(id: string, { signal }: CallOptions = {}): Promise<AppealLinkList> {
    return this.#ask<AppealLinkList>({ method: 'GET', path: `${pathOf(id)}/appeal-links`, signal });
  }

  /** Revokes a link by its identifier (`apk_...`). A revoked link shows and accepts nothing. */
  revokeAppealLink(id: string, link: string, { signal }: CallOptions = {}): Promise<ListedAppealLink> {
    const path = `${pathOf(id)}/appeal-links/${encodeURIComponent(link)}`;
    return this.#ask<ListedAppealLink>({ method: 'DELETE', path, signal });
  }

  /** Withdraws an appeal of the account before its decision. The attempt stays used. */
  withdrawAppeal(id: string, appeal: string, { signal }: CallOptions = {}): Promise<Appeal> {
    const path = `${pathOf(id)}/appeals/${encodeURIComponent(appeal)}`;
    return this.#ask<Appeal>({ method: 'DELETE', path, signal });
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
