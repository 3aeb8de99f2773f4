// The client of a Telltale service: an object with one API key and a method for each route.
import type { CallOptions } from './call-options.js';
import { Checks } from './checks.js';
import { TelltaleError } from './errors.js';
import { readImage, toBase64, type Image, type Sendable } from './image.js';
import { mapInOrder } from './in-order.js';
import { queryOf } from './query.js';
import { Scans } from './scans.js';
import { call, type Answer, type Call, type Fetch, type TransportOptions } from './transport.js';
import type { BatchResult, CheckOptions, CheckResult, UsageQuery, UsageRecord } from './types.js';

/** Options of a client. */
export interface TelltaleOptions {
  /** Address of the service without `/v1`, such as `https://host`; in a browser also a path on its host. */
  readonly baseUrl: string;
  /**
   * API key: `tt_live_...`, or `tt_test_...` for a sandbox. White space around it is removed. Default: none,
   * for a proxy that adds the Authorization header.
   */
  readonly apiKey?: string;
  /** Maximum duration of one attempt in milliseconds; default 60,000. */
  readonly timeoutMs?: number;
  /** Maximum number of retries; default 4. */
  readonly maxRetries?: number;
  /** Replaces the platform's `fetch`. */
  readonly fetch?: Fetch;
}

/** Options of calls that are charged. */
export interface ChargedCallOptions extends CallOptions, CheckOptions {
  /** Key of 1 to 255 printable ASCII characters, so that a retry is not charged. Default: random. */
  readonly idempotencyKey?: string;
}

/** Options of `check`. */
export interface SingleCheckOptions extends ChargedCallOptions {
  /** Your own reference, at most 128 printable characters. Stored with the check and returned. */
  readonly ref?: string;
}

/** Options of `checkBatch`. */
export interface BatchOptions extends ChargedCallOptions {
  /** Your own references of the images, in order; undefined for an image without one. */
  readonly refs?: readonly (string | undefined)[];
}

/** Options of `checkMany`. */
export interface CheckManyOptions<T> extends Omit<ChargedCallOptions, 'idempotencyKey'> {
  /** Maximum number of concurrent calls; default 4. */
  readonly concurrency?: number;
  /** Returns your own reference of an image. */
  readonly refOf?: (image: T) => string | undefined;
}

/** Result or error of one image in `checkMany`. */
export type Checked<T> =
  | { readonly image: T; readonly result: CheckResult; readonly error?: never }
  | { readonly image: T; readonly error: TelltaleError; readonly result?: never };

/** Codes of errors that end `checkMany`, because all further images would fail too. Same as in the Python client. */
const FATAL_CODES: readonly string[] = [
  'unauthorized',
  'forbidden',
  'plan_required',
  'quota_exceeded',
  'not_found',
];

/** Returns the address without slashes at its end. Throws TypeError for a missing address or one without http. */
function readBaseUrl(baseUrl: unknown): string {
  if (typeof baseUrl !== 'string' || !/^(https?:\/\/[^/]|[/.]|$)/i.test(baseUrl))
    throw new TypeError(
      `Expected the address of the service, such as https://telltale.example, for baseUrl but received ${String(baseUrl)}`,
    );
  return baseUrl.replace(/\/+$/, '');
}

/**
 * Client of a Telltale service. Every method rejects with TelltaleError, whose `code` tells what went wrong.
 * After connection errors, time-outs and the statuses 429, 500, 502, 503 and 504, a call is tried again up to
 * `maxRetries` times.
 */
export class Telltale {
  /** Private, so that logging the client does not show the API key. */
  readonly #transport: TransportOptions;
  /** Methods for earlier checks. */
  readonly checks: Checks;
  /** Methods for scans: long lists that the service checks in the background. */
  readonly scans: Scans;

  constructor(options: TelltaleOptions) {
    this.#transport = {
      baseUrl: readBaseUrl(options.baseUrl),
      apiKey: options.apiKey?.trim(),
      timeoutMs: options.timeoutMs ?? 60_000,
      maxRetries: options.maxRetries ?? 4,
      // Calls fetch on the global object, because browsers reject other calls.
      fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    };
    this.checks = new Checks((request) => this.#call(request));
    this.scans = new Scans((request) => this.#call(request));
  }

  /** Checks one image. */
  async check(image: Image, { ref, ...options }: SingleCheckOptions = {}): Promise<CheckResult> {
    const sendable = await readImage(image);
    const body =
      sendable.kind === 'url'
        ? { image_url: sendable.url, ref }
        : formOf('file', [sendable.blob], ref === undefined ? [] : [ref]);
    return this.#post<CheckResult>('/v1/check', body, options);
  }

  /** Checks 1 to 8 images in one call. The result of an invalid image is `{ error }`. */
  async checkBatch(images: readonly Image[], { refs, ...options }: BatchOptions = {}): Promise<BatchResult> {
    const sendables = await Promise.all(images.map(readImage));
    const blobs = sendables.flatMap((sendable) => (sendable.kind === 'blob' ? [sendable.blob] : []));
    // A form can contain only files. A batch with an address is sent as JSON, with its files in base64.
    const isForm = blobs.length > 0 && blobs.length === sendables.length;
    if (refs !== undefined && refs.length !== images.length)
      throw new TypeError('Expected a reference, or undefined, for each image');
    const body = isForm
      ? formOf('files', blobs, refs?.map((ref = '') => ref) ?? [])
      : { images: await Promise.all(sendables.map((sendable, index) => itemOf(sendable, refs?.[index]))) };
    return this.#post<BatchResult>('/v1/check/batch', body, options);
  }

  /**
   * Checks any number of images, `concurrency` at a time, and yields their results in order. Takes images
   * from `images` only as needed. Yields an error that concerns one image, such as a missing file
   * (`image_unreadable`). Throws an error that all images would get (key, scope, plan, quota).
   */
  async *checkMany<T extends Image>(
    images: Iterable<T> | AsyncIterable<T>,
    options: CheckManyOptions<T> = {},
  ): AsyncGenerator<Checked<T>> {
    const { concurrency = 4, refOf, ...others } = options;
    const checkNext = async (image: T): Promise<Checked<T>> => {
      try {
        const ref = refOf?.(image);
        return { image, result: await this.check(image, { ...others, ...(ref !== undefined && { ref }) }) };
      } catch (thrown) {
        const error = asUnreadable(thrown);
        if (error instanceof TelltaleError && !FATAL_CODES.includes(error.code)) return { image, error };
        throw error;
      }
    };
    yield* mapInOrder(images, Math.max(1, concurrency), checkNext);
  }

  /**
   * Returns the checks of this month, in total and by day. `from` and `to` (YYYY-MM-DD) select other days.
   */
  async usage(options: UsageQuery & CallOptions = {}): Promise<UsageRecord> {
    const { signal, ...query } = options;
    const path = `/v1/usage${queryOf(query)}`;
    return (await this.#call({ method: 'GET', path, signal })).value as UsageRecord;
  }

  async #post<R>(path: string, body: FormData | object, options: ChargedCallOptions): Promise<R> {
    const { signal, idempotencyKey, store, profile, include, provenance, sandbox } = options;
    const query = queryOf({
      store: store === undefined ? undefined : String(store),
      profile,
      include: include === undefined || include.length === 0 ? undefined : include.join(','),
      provenance,
      sandbox,
    });
    const request: Call = {
      method: 'POST',
      path: path + query,
      body: body instanceof FormData ? body : JSON.stringify(body),
      signal,
      idempotencyKey,
    };
    return (await this.#call(request)).value as R;
  }

  #call(request: Call): Promise<Answer> {
    return call(this.#transport, request);
  }
}

/** Converts a file system's error to TelltaleError `image_unreadable`. Returns other errors unchanged. */
function asUnreadable(error: unknown): unknown {
  if (!(error instanceof Error && 'syscall' in error)) return error;
  return new TelltaleError('image_unreadable', `The image can't be read: ${error.message}`, { cause: error });
}

function formOf(name: string, blobs: readonly Blob[], refs: readonly string[]): FormData {
  const form = new FormData();
  for (const blob of blobs) form.append(name, blob, 'image');
  for (const ref of refs) form.append('ref', ref);
  return form;
}

async function itemOf(sendable: Sendable, ref: string | undefined): Promise<object> {
  return sendable.kind === 'url'
    ? { image_url: sendable.url, ref }
    : { image_b64: await toBase64(sendable.blob), ref };
}
