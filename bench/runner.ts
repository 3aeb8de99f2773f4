// Runs trials one after the other, each in a fresh process by default, and keeps what they found.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { runNativeTrial, type NativeSettings } from './native-trial.js';
import type { Group } from './options.js';
import { show } from './report/numbers.js';
import { isTooMuch, type Watch } from './other-work/watch.js';
import type { TrialKind, TrialMessage, TrialResult, TrialSettings } from './trials/kinds.js';

const PROCESS = fileURLToPath(new URL('trials/process.ts', import.meta.url));

/** What a trial shared the machine with. */
export interface TrialLoad {
  /** Load average of the minute before its end, the bench's own work included. */
  readonly average: number;
  /** Share of each core that other programs took meanwhile, 0..1. */
  readonly others: number;
}

/** One trial that ran, as results.json keeps it. */
export interface Row {
  readonly group: Group;
  readonly name: string;
  readonly kind: string;
  readonly settings: unknown;
  /** Null if it could not be measured: then `skipped` says why. */
  readonly result: unknown;
  readonly skipped: string | null;
  readonly seconds: number;
  /** Null where nothing ran, or nobody watched. */
  readonly load: TrialLoad | null;
}

/** Why something could not be measured on this machine. */
export class NotMeasured extends Error {}

/** Runs a trial; rejects with NotMeasured where its device can't be had here. */
export type RunTrial = <Kind extends TrialKind>(
  kind: Kind,
  settings: TrialSettings<Kind>,
) => Promise<TrialResult<Kind>>;

/** Runs the trials of one run and remembers them in order. */
export class Runner {
  readonly rows: Row[] = [];
  readonly #say: (line: string) => void;
  readonly #runTrial: RunTrial;
  readonly #watch: Pick<Watch, 'lap'> | null;

  /**
   * `say` gets a line for each trial that begins, is left out or is disturbed by other programs, which `watch` tells of.
   * Each trial has a process of its own unless `runTrial` does otherwise.
   */
  constructor(
    say: (line: string) => void,
    watch: Pick<Watch, 'lap'> | null,
    runTrial: RunTrial = runInProcess,
  ) {
    this.#say = say;
    this.#watch = watch;
    this.#runTrial = runTrial;
  }

  /** Runs one trial; null, with the reason kept, where its device or program can't be had here. Rejects on any other failure. */
  async run<Kind extends TrialKind>(
    group: Group,
    name: string,
    kind: Kind,
    settings: TrialSettings<Kind>,
  ): Promise<TrialResult<Kind> | null> {
    return this.#keep(group, name, kind, settings, () => this.#runTrial(kind, settings));
  }

  /** The same for a trial of the native program. */
  async runNative<R>(group: Group, name: string, settings: NativeSettings): Promise<R[]> {
    return (
      (await this.#keep(group, name, `native ${settings.trial}`, settings, () =>
        runNativeTrial<R>(settings),
      )) ?? []
    );
  }

  /** Remembers that a trial is left out. */
  skip(group: Group, name: string, reason: string): void {
    this.#say(`${group}: ${name}: not measured here: ${reason}`);
    this.rows.push({
      group,
      name,
      kind: 'skipped',
      settings: null,
      result: null,
      skipped: reason,
      seconds: 0,
      load: null,
    });
  }

  async #keep<T>(
    group: Group,
    name: string,
    kind: string,
    settings: object,
    work: () => Promise<T>,
  ): Promise<T | null> {
    this.#say(`${group}: ${name}`);
    this.#watch?.lap();
    const start = performance.now();
    try {
      const result = await work();
      const seconds = (performance.now() - start) / 1000;
      const load = this.#readLoad();
      this.rows.push({ group, name, kind, settings, result, skipped: null, seconds, load });
      return result;
    } catch (error) {
      if (!(error instanceof NotMeasured)) throw error;
      this.skip(group, name, error.message);
      return null;
    }
  }

  #readLoad(): TrialLoad | null {
    if (this.#watch === null) return null;
    const others = this.#watch.lap();
    if (isTooMuch(others)) this.#say(`ALARM: other programs took ${show(others)} of each core meanwhile`);
    return { average: loadavg()[0] ?? NaN, others };
  }
}

async function runInProcess<Kind extends TrialKind>(
  kind: Kind,
  settings: TrialSettings<Kind>,
): Promise<TrialResult<Kind>> {
  const child = fork(PROCESS, { execArgv: ['--import', 'tsx'], serialization: 'advanced' });
  child.send({ kind, settings });
  let reply: TrialMessage | null = null;
  child.on('message', (message) => (reply = message as TrialMessage));
  const [status] = (await once(child, 'exit')) as [number | null];
  const answer = reply as TrialMessage | null;
  if (answer === null) throw new Error(`The process of a trial '${kind}' ended with status ${status}`);
  if (answer.kind === 'result') return answer.result as TrialResult<Kind>;
  if (answer.code === 'device_unavailable') throw new NotMeasured(answer.message);
  throw new Error(`The trial '${kind}' failed: ${answer.message}`);
}
