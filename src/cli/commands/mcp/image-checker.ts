// Checking images for an assistant with the engine in this process.
import { createChecker, type Checker, type CheckerOptions } from 'telltale-engine/internal/check/checker.js';
import { presentCheck } from 'telltale-engine/internal/check/present.js';
import type { CheckResult } from 'telltale-engine/internal/check/result-schema.js';
import type { ProfileName } from 'telltale-engine/internal/check/types.js';
import { detailsFor } from '../../../service/mcp/explain.js';

/** Options of one check. */
interface CheckOptions {
  /** Profile (set of thresholds); default: from the settings, or the service's. */
  readonly profile?: ProfileName | undefined;
  /** True if the result should contain `details.heatmap`. */
  readonly heatMap: boolean;
  readonly signal: AbortSignal;
}

/** Checks images, with the engine in this process or with a service. */
export interface ImageChecker {
  /** Description of where verdicts come from, for people. */
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
