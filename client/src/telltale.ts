// The client: one object for an account's key, one method for each route.
import type { CallOptions } from './call-options.js';
import { Checks } from './checks.js';
import { TelltaleError } from './errors.js';
import { readImage, toBase64, type Image, type Sendable } from './image.js';
import { mapInOrder } from './in-order.js';
import { queryOf } from './query.js';
import { Scans } from './scans.js';
import { call, type Answer, type Call, type Fetch, type TransportOptions } from './transport.js';
import type { BatchResult, CheckOptions, CheckResult, UsageQuery, UsageRecord } from './types.js';

/** How a client is built. */
export interface TelltaleOptions {
  /** Where the service is: `https://host`, without `/v1`; in a browser also a path of the page's own host. */
  readonly baseUrl: string;
  /** `tt_live_...`, or `tt_test_...` of a sandbox; without one no Authorization is sent, for a server in between that adds it. */
  readonly apiKey?: string;
  /** Milliseconds for one attempt; default 60,000. */
  readonly timeoutMs?: number;
  /** Attempts after the first; default 4. */
  readonly maxRetries?: number;
  /** Default: the platform's. */
  readonly fetch?: Fetch;
}

/** What a call that is charged takes. */
export interface ChargedCallOptions extends CallOptions, CheckOptions {
  /** 1 to 255 printable ASCII characters; default: a new one for each call, the same for its repetitions. */
  readonly idempotencyKey?: string;
}

/** What checking one image takes. */
export interface SingleCheckOptions extends ChargedCallOptions {
  /** A reference of your own, at most 128 printable characters: kept with the check and given back. */
  readonly ref?: string;
}

/** What checking a batch takes. */
export interface BatchOptions extends ChargedCallOptions {
  /** A reference for each image, in their order; one that is undefined is none. */
  readonly refs?: readonly (string | undefined)[];
}

/** What checking any number of images takes. */
export interface CheckManyOptions<T> extends Omit<ChargedCallOptions, 'idempotencyKey'> {
  /** Calls at a time; default 4. */
  readonly concurrency?: number;
  /** The reference of an image. */
  readonly refOf?: (image: T) => string | undefined;
}

/** One outcome of `checkMany`. */
export type Checked<T> =
  | { readonly image: T; readonly result: CheckResult; readonly error?: never }
  | { readonly image: T; readonly error: TelltaleError; readonly result?: never };

/** Faults that the next image would meet, too. */
const FAULTS_OF_ALL: readonly string[] = ['unauthorized', 'plan_required', 'quota_exceeded', 'not_found'];

/**
 * Speaks to a Telltale service. Every method rejects with TelltaleError, whose `code` says why; 429 and 503 and faults
 * of the network were then tried again `maxRetries` times in vain.
 */
export class Telltale {
  /** Private, so that no log that shows the object shows the key. */
  readonly #transport: TransportOptions;
  /** Checks of the past. */
  readonly checks: Checks;
  /** Long lists that the service checks in the background. */
  readonly scans: Scans;

  constructor(options: TelltaleOptions) {
    this.#transport = {
      baseUrl: options.baseUrl.replace(/\/+$/, ''),
      apiKey: options.apiKey,
      timeoutMs: options.timeoutMs ?? 60_000,
      maxRetries: options.maxRetries ?? 4,
      // Browsers' fetch must be called on its own object.
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

  /** Checks 1 to 8 images in one call; a bad one has `{ error }` in its place. */
  async checkBatch(images: readonly Image[], { refs, ...options }: BatchOptions = {}): Promise<BatchResult> {
    const sendables = await Promise.all(images.map(readImage));
    const blobs = sendables.flatMap((sendable) => (sendable.kind === 'blob' ? [sendable.blob] : []));
    // A form holds files alone; if there are addresses among them, the files go as base64.
    const isForm = blobs.length > 0 && blobs.length === sendables.length;
    if (refs !== undefined && refs.length !== images.length)
      throw new TypeError('Expected a reference, or undefined, for each image');
    const body = isForm
      ? formOf('files', blobs, refs?.map((ref = '') => ref) ?? [])
      : { images: await Promise.all(sendables.map((sendable, index) => itemOf(sendable, refs?.[index]))) };
    return this.#post<BatchResult>('/v1/check/batch', body, options);
  }

  /**
   * Checks any number of images, `concurrency` (default 4) at a time, and gives their outcomes in order. Images are
   * taken from `images` as they are needed. A fault of one image is its outcome; one that every image would meet
   * (the key, the plan, the quota) ends it.
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
      } catch (error) {
        if (error instanceof TelltaleError && !FAULTS_OF_ALL.includes(error.code)) return { image, error };
        throw error;
      }
    };
    yield* mapInOrder(images, Math.max(1, concurrency), checkNext);
  }

  /** The checks of the month, and by day; `from` and `to` (YYYY-MM-DD) choose other days. */
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
