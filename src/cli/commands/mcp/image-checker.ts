// Checking images for an assistant, with the engine in this process or with a running service.
import { createChecker, type Checker, type CheckerOptions } from 'telltale-engine/internal/check/checker.js';
import { presentCheck } from 'telltale-engine/internal/check/present.js';
import type { CheckResult } from 'telltale-engine/internal/check/result-schema.js';
import type { ProfileName } from 'telltale-engine/internal/check/types.js';
import { detailsFor, type ExplainedCheck } from '../../../service/mcp/explain.js';
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { isErrorCode } from 'telltale-engine/internal/base/error-codes.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { ServiceAccess } from '../../../config.js';

/** Options of one check. */
interface CheckOptions {
  /** Profile (set of thresholds). Default: the profile in the settings of this process or of the service. */
  readonly profile?: ProfileName | undefined;
  /** True if the result should contain `details.heatmap`. */
  readonly heatMap: boolean;
  readonly signal: AbortSignal;
}

/** Checks images, with the engine in this process or with a service. */
export interface ImageChecker {
  /** `this machine`, or the address of the service that computes the verdicts. */
  readonly checkedBy: string;
  /** Number of images to check concurrently. */
  readonly concurrency: number;
  /**
   * Checks an image. The result includes all details that an explanation needs. Rejects with CheckError,
   * StartError or the signal's reason.
   */
  check(bytes: Uint8Array, options: CheckOptions): Promise<CheckResult>;
}

/**
 * A checker that loads its models when first used, because assistants start their servers long before the
 * first check.
 */
export class LazyChecker {
  readonly #options: CheckerOptions;
  #loading: Promise<Checker> | null = null;

  constructor(options: CheckerOptions) {
    this.#options = options;
  }

  /**
   * Returns the checker, loaded at the first call. Rejects as `createChecker` does; the next call retries.
   */
  get(): Promise<Checker> {
    this.#loading ??= createChecker(this.#options).catch((error: unknown) => {
      this.#loading = null;
      throw error;
    });
    return this.#loading;
  }

  async close(): Promise<void> {
    await (await this.#loading?.catch(() => null))?.close();
  }
}

/** Creates an image checker that uses the engine of `lazy`. The caller must close `lazy`. */
export function createEngineChecker(lazy: LazyChecker): ImageChecker {
  return {
    checkedBy: 'this machine',
    // One image more than most machines decode at a time, so that a file is ready for a free thread.
    concurrency: 3,
    async check(bytes, { profile, heatMap, signal }) {
      const checker = await lazy.get();
      const report = await checker.check(bytes, { profile, heatMap, signal });
      return presentCheck(report, { include: detailsFor({ heatMap }) });
    },
  };
}

/** Time limit of a request in milliseconds: twice the service's own limit for a check. */
const TIMEOUT_MS = 60_000;
/** Maximum attempts if the service is busy, and maximum pause in seconds that the service may request. */
const ATTEMPTS = 5;
const MAX_PAUSE_S = 30;

/**
 * Creates an image checker that uses a service. `standard` is the default profile. Rejects with the service's
 * error code and message.
 */
export function createServiceChecker(access: ServiceAccess, standard: ProfileName): ImageChecker {
  return {
    checkedBy: access.url,
    concurrency: 4,
    async check(bytes, { profile = standard, heatMap, signal }) {
      const query = new URLSearchParams({ include: detailsFor({ heatMap }).join(','), profile });
      // All attempts send the same idempotency key, so that the service charges the image once.
      const headers = { 'idempotency-key': randomUUID() };
      for (let attempt = 1; ; attempt += 1) {
        const body = new FormData();
        body.append('file', new Blob([new Uint8Array(bytes)]), 'image');
        const answer = await ask(access, `/v1/check?${query}`, { method: 'POST', headers, body }, signal);
        const pauseS = pauseOf(answer);
        if (pauseS === null || attempt === ATTEMPTS) return readAnswer(answer) as CheckResult;
        await setTimeout(pauseS * 1000, undefined, { signal });
      }
    },
  };
}

/** Returns a check from the service's history, or null if it is not there. Rejects with CheckError. */
export async function findPastCheck(
  access: ServiceAccess,
  id: string,
  signal: AbortSignal,
): Promise<ExplainedCheck | null> {
  const answer = await ask(access, `/v1/checks/${encodeURIComponent(id)}`, {}, signal);
  return answer.status === 404 ? null : (readAnswer(answer) as ExplainedCheck);
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  /** Parsed body of the response, or undefined if it is not JSON. */
  readonly body: unknown;
}

async function ask(
  { url, key }: ServiceAccess,
  path: string,
  init: RequestInit & { readonly headers?: Record<string, string> },
  signal: AbortSignal,
): Promise<Answer> {
  const either = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    const headers = { ...init.headers, authorization: `Bearer ${key}` };
    // Redirects are refused, because they would send the API key to another address.
    const response = await fetch(url + path, { ...init, headers, signal: either, redirect: 'error' });
    const text = await response.text();
    return { status: response.status, retryAfter: response.headers.get('retry-after'), body: parse(text) };
  } catch (cause) {
    signal.throwIfAborted();
    throw new CheckError('unavailable', `the service at ${url} did not respond`, { cause });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the seconds to wait before a retry, or null if a retry can't help. */
function pauseOf({ status, retryAfter, body }: Answer): number | null {
  // A used-up quota has status 429, too, but stays used up until the next period.
  const isBusy = (status === 429 && errorOf(body)?.code !== 'quota_exceeded') || status === 503;
  const seconds = Number(retryAfter ?? 1);
  return isBusy && seconds >= 0 && seconds <= MAX_PAUSE_S ? seconds : null;
}

function errorOf(body: unknown): { readonly code?: unknown; readonly message?: unknown } | undefined {
  return (body as { error?: { code?: unknown; message?: unknown } } | null | undefined)?.error;
}

function readAnswer({ status, body }: Answer): unknown {
  if (status === 200 && body !== undefined) return body;
  const error = errorOf(body);
  if (isErrorCode(error?.code)) throw new CheckError(error.code, String(error.message));
  throw new CheckError('unavailable', `the response of the service (status ${status}) is not from Telltale`);
}
