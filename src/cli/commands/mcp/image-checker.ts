// Verdicts for an assistant from the engine in this process.
import { createChecker, type Checker, type CheckerOptions } from 'telltale-engine/internal/check/checker.js';
import { presentCheck } from 'telltale-engine/internal/check/present.js';
import type { CheckResult } from 'telltale-engine/internal/check/result-schema.js';
import type { ProfileName } from 'telltale-engine/internal/check/types.js';
import { detailsFor } from '../../../service/mcp/explain.js';

/** Options of a check. */
interface CheckOptions {
  /** Profile; default: the setting's, or the service's. */
  readonly profile?: ProfileName | undefined;
  /** True if `details.heatmap` is requested. */
  readonly heatMap: boolean;
  readonly signal: AbortSignal;
}

/** Checks images by the engine or by a service. */
export interface ImageChecker {
  /** Origin of the verdicts, for people. */
  readonly place: string;
  /** Number of concurrent images. */
  readonly concurrency: number;
  /**
   * Checks an image and returns the result with the details that an explanation needs. Rejects with CheckError,
   * StartError or the signal's reason.
   */
  check(bytes: Uint8Array, options: CheckOptions): Promise<CheckResult>;
}

/** A checker that is loaded at its first use, because assistants start their servers long before they need them. */
export class LazyChecker {
  readonly #options: CheckerOptions;
  #loading: Promise<Checker> | null = null;

  constructor(options: CheckerOptions) {
    this.#options = options;
  }

  /** Returns the checker. Rejects as `createChecker` does and tries again at the next call. */
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

/** Creates an image checker with the engine in this process. The creator of `lazy` closes it. */
export function createEngineChecker(lazy: LazyChecker): ImageChecker {
  return {
    place: 'this machine',
    // One image more than most machines decode at a time, so that a file is always ready when a thread becomes free.
    concurrency: 3,
    async check(bytes, { profile, heatMap, signal }) {
      const checker = await lazy.get();
      const report = await checker.check(bytes, { profile, heatMap, signal });
      return presentCheck(report, { include: detailsFor({ heatMap }) });
    },
  };
}
