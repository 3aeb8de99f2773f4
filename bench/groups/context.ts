// What every group of trials is given.
import type { Durations } from '../durations.js';
import type { Loads } from '../loads.js';
import type { BenchOptions } from '../options.js';
import type { Runner } from '../runner.js';

/** One run of the bench. */
export interface Context {
  readonly runner: Runner;
  readonly loads: Loads;
  readonly durations: Durations;
  readonly options: BenchOptions;
  /** Cores that the engine, the bare loops and the peers may use. */
  readonly cores: number;
}
