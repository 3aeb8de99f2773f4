// Times the stages of a request for the Server-Timing header, metrics and traces. Source: W3C Server Timing.
import { performance } from 'node:perf_hooks';
import { NO_SPAN, within, type Span } from '../../traces/span.js';

/** Milliseconds spent in each stage of a request, in the order in which stages first ended. */
export class Stages {
  readonly #startMs = performance.now();
  readonly #durations = new Map<string, number>();

  /** `span` is the request's span in its trace. */
  constructor(readonly span: Span = NO_SPAN) {}

  /** Milliseconds since the request arrived. */
  get elapsedMs(): number {
    return performance.now() - this.#startMs;
  }

  /** Runs `work` in a child span and adds its time to the stage `name`, also after an error. */
  async time<T>(name: string, work: () => Promise<T>): Promise<T> {
    const startMs = performance.now();
    try {
      return await within(this.span.begin(name), work);
    } finally {
      this.add(name, performance.now() - startMs);
    }
  }

  /** Adds milliseconds to the stage `name`. */
  add(name: string, durationMs: number): void {
    this.#durations.set(name, (this.#durations.get(name) ?? 0) + durationMs);
  }

  /** Milliseconds by stage. */
  get durations(): ReadonlyMap<string, number> {
    return this.#durations;
  }

  /** Returns the value of the Server-Timing header: `queue;dur=0.1, receive;dur=3.2, total;dur=40.0`. */
  toHeader(): string {
    const entries = [...this.#durations, ['total', this.elapsedMs] as const];
    return entries.map(([name, durationMs]) => `${name};dur=${durationMs.toFixed(1)}`).join(', ');
  }
}
