// What gives an assistant its verdicts: the engine in this process.
import { createChecker, type Checker, type CheckerOptions } from 'telltale-engine/internal/check/checker.js';
import { presentCheck } from 'telltale-engine/internal/check/present.js';
import type { CheckResult } from 'telltale-engine/internal/check/result-schema.js';
import type { ProfileName } from 'telltale-engine/internal/check/types.js';
import { detailsFor } from '../../../service/mcp/explain.js';

/** How one image is checked. */
interface CheckOptions {
  /** Default: that of the settings, or of the service. */
  readonly profile?: ProfileName | undefined;
  /** Whether `details.heatmap` is wanted. */
  readonly heatMap: boolean;
  readonly signal: AbortSignal;
}

/** Checks images, wherever the detectors run. */
export interface ImageChecker {
  /** Where verdicts come from, for people. */
  readonly place: string;
  /** Images at once that keep it busy. */
  readonly concurrency: number;
  /** The result with the details that an explanation needs. Rejects with CheckError, StartError or the signal's reason. */
  check(bytes: Uint8Array, options: CheckOptions): Promise<CheckResult>;
}

/** A checker that loads when it is first needed: an assistant starts its servers long before it asks them anything. */
export class LazyChecker {
  readonly #options: CheckerOptions;
  #loading: Promise<Checker> | null = null;

  constructor(options: CheckerOptions) {
    this.#options = options;
  }

  /** The one checker. Rejects as `createChecker`, and tries again with the next call then. */
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

/** Checks by the engine in this process; the maker of `lazy` closes it. */
export function createEngineChecker(lazy: LazyChecker): ImageChecker {
  return {
    place: 'this machine',
    // One more than most machines decode at a time, so that a file is always read when a thread falls free.
    concurrency: 3,
    async check(bytes, { profile, heatMap, signal }) {
      const checker = await lazy.get();
      const report = await checker.check(bytes, { profile, heatMap, signal });
      return presentCheck(report, { include: detailsFor({ heatMap }) });
    },
  };
}
