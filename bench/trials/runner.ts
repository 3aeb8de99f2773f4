// Running measurements one after the other, by default each in a new process, and collecting the results.
import { fork, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { root } from '../machine/machine.js';
import { isTooMuch, type Watch } from '../machine/other-work.js';
import { killMarked } from '../machine/processes.js';
import type { Loads } from '../corpus/loads.js';
import type { Durations } from '../durations.js';
import type { BenchOptions, Group } from '../options.js';
import { show } from '../report/section.js';
import type { TrialKind, TrialMessage, TrialResult, TrialSettings } from './kinds.js';

/** Path of the program that runs one measurement. */
export const TRIAL_PROCESS = fileURLToPath(new URL('process.ts', import.meta.url));

/** Environment variable that marks all processes of one measurement, which inherit it. Its value differs for each. */
export const TRIAL_MARK = 'BENCH_TRIAL';

/** Maximum repeats of a measurement that other programs disturbed. */
export const MAX_REPEATS = 2;

/**
 * Maximum seconds of a measurement that is repeated. Chosen: longer than rounds of a comparison, shorter than the scan
 * and the memory measurement.
 */
const MAX_REPEATED_SECONDS = 120;

/** Load of the machine during a measurement. */
export interface TrialLoad {
  /** Load average of the last minute of the measurement, including the bench's own work. */
  readonly average: number;
  /** Share of each core that other programs used during the measurement, 0..1. */
  readonly others: number;
}

/** A completed measurement, as saved in results.json. */
export interface Row {
  readonly group: Group;
  readonly name: string;
  readonly kind: string;
  readonly settings: unknown;
  /** Null if not measured. `skipped` or `failure` then has the reason. */
  readonly result: unknown;
  /** Reason why the measurement can't run on this machine. */
  readonly skipped: string | null;
  /** Error message of a failed measurement. */
  readonly failure: string | null;
  /** Number of repeats because other programs disturbed the measurement. The least disturbed attempt is saved. */
  readonly repeats: number;
  readonly seconds: number;
  /** Null if nothing ran, or if other programs were not watched. */
  readonly load: TrialLoad | null;
}

/** Thrown if a measurement can't run on this machine. The message gives the reason. */
export class NotMeasured extends Error {}

/** Function that runs a measurement. Rejects with NotMeasured if the device is unavailable. */
export type RunTrial = <Kind extends TrialKind>(
  kind: Kind,
  settings: TrialSettings<Kind>,
) => Promise<TrialResult<Kind>>;

/** Runs measurements and collects their results in order. */
export class Runner {
  readonly rows: Row[] = [];
  readonly #say: (line: string) => void;
  readonly #watch: Pick<Watch, 'lap'> | null;
  readonly #runTrial: RunTrial;
  readonly #mostRepeats: number;

  /**
   * `say` is called with a line for each measurement that begins, is skipped, fails, or is disturbed. `watch` measures
   * other programs' work, which disturbs. `runTrial` runs each measurement in a separate process by default.
   */
  constructor(
    say: (line: string) => void,
    watch: Pick<Watch, 'lap'> | null,
    runTrial: RunTrial = runInProcess,
    mostRepeats = MAX_REPEATS,
  ) {
    this.#say = say;
    this.#watch = watch;
    this.#runTrial = runTrial;
    this.#mostRepeats = mostRepeats;
  }

  /**
   * Runs one measurement. If it fails, or if the device or program is unavailable, saves the reason and returns null.
   */
  async run<Kind extends TrialKind>(
    group: Group,
    name: string,
    kind: Kind,
    settings: TrialSettings<Kind>,
  ): Promise<TrialResult<Kind> | null> {
    return this.#keep({ group, name, kind, settings }, () => this.#runTrial(kind, settings));
  }

  /** Runs checks in one process by Telltale, unless `settings` names another program. */
  runEngine(
    { loads, durations, options }: Pick<Context, 'loads' | 'durations' | 'options'>,
    group: Group,
    name: string,
    settings: Pick<TrialSettings<'engine-closed'>, 'seconds'> & Partial<TrialSettings<'engine-closed'>>,
  ): Promise<TrialResult<'engine-closed'> | null> {
    const { callers: concurrency, warmUpSeconds } = durations;
    const usual = {
      who: 'telltale',
      device: options.device,
      files: loads.photo,
      concurrency,
      warmUpSeconds,
    } as const;
    return this.run(group, name, 'engine-closed', { ...usual, ...settings });
  }

  /** Runs one measurement of the native program. Returns an empty list if it fails. */
  async runNative<R>(group: Group, name: string, settings: NativeSettings): Promise<R[]> {
    const row = { group, name, kind: `native ${settings.trial}`, settings };
    return (await this.#keep(row, () => runNativeTrial<R>(settings))) ?? [];
  }

  /** Saves the reason why something is not measured. */
  skip(group: Group, name: string, reason: string): void {
    this.#say(`${group}: ${name}: not measured here: ${reason}`);
    this.#add({ group, name, kind: 'skipped', settings: null }, { skipped: reason });
  }

  #add(row: Pick<Row, 'group' | 'name' | 'kind' | 'settings'>, outcome: Partial<Row>): void {
    const nothing = { result: null, skipped: null, failure: null, repeats: 0, seconds: 0, load: null };
    this.rows.push({ ...row, ...nothing, ...outcome });
  }

  async #keep<T>(
    row: Pick<Row, 'group' | 'name' | 'kind' | 'settings'>,
    work: () => Promise<T>,
  ): Promise<T | null> {
    const { group, name } = row;
    this.#say(`${group}: ${name}`);
    try {
      let best = await this.#attempt(work);
      let repeats = 0;
      for (let last = best; this.#isRepeated(last, repeats); repeats += 1) {
        this.#say(`${group}: ${name}: repeated`);
        const next = await this.#attempt(work).catch(() => null);
        if (next === null) continue;
        last = next;
        if (!(othersOf(last) > othersOf(best))) best = last;
      }
      this.#add(row, { ...best, repeats });
      return best.result;
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof NotMeasured) this.skip(group, name, message);
      else {
        this.#say(`${group}: ${name} failed: ${message}`);
        this.#add(row, { failure: message });
      }
      return null;
    }
  }

  async #attempt<T>(work: () => Promise<T>): Promise<Attempt<T>> {
    this.#watch?.lap();
    const start = performance.now();
    const result = await work();
    const seconds = (performance.now() - start) / 1000;
    if (this.#watch === null) return { result, seconds, load: null };
    const others = this.#watch.lap();
    if (isTooMuch(others)) this.#say(`ALARM: other programs took ${show(others)} of each core meanwhile`);
    return { result, seconds, load: { average: loadavg()[0] ?? NaN, others } };
  }

  #isRepeated(attempt: Attempt<unknown>, repeats: number): boolean {
    const isShort = attempt.seconds <= MAX_REPEATED_SECONDS;
    return repeats < this.#mostRepeats && isShort && isTooMuch(attempt.load?.others);
  }
}

/** Tools and settings that each group of measurements receives. */
export interface Context {
  readonly runner: Runner;
  readonly loads: Loads;
  readonly durations: Durations;
  readonly options: BenchOptions;
  /** Number of cores that the engine, the upper bound and the baselines may use. */
  readonly cores: number;
}

type Attempt<T> = Pick<Row, 'seconds' | 'load'> & { readonly result: T };

const othersOf = ({ load }: Attempt<unknown>): number => load?.others ?? 0;

/**
 * Runs a measurement in a separate process. All processes that the measurement started end with it, even if it fails.
 */
export async function runInProcess<Kind extends TrialKind>(
  kind: Kind,
  settings: TrialSettings<Kind>,
): Promise<TrialResult<Kind>> {
  const mark = randomUUID();
  const env = { ...process.env, [TRIAL_MARK]: mark };
  const child = fork(TRIAL_PROCESS, { execArgv: ['--import', 'tsx'], serialization: 'advanced', env });
  child.send({ kind, settings });
  let reply: TrialMessage | null = null;
  child.on('message', (message) => (reply = message as TrialMessage));
  const [status, signal] = (await once(child, 'exit')) as [number | null, string | null];
  killMarked(TRIAL_MARK, mark);
  const answer = reply as TrialMessage | null;
  if (answer === null) {
    const end = signal === null ? `status ${status}` : `signal ${signal}`;
    throw new Error(`the process of the trial '${kind}' ended with ${end}`);
  }
  if (answer.kind === 'result') return answer.result as TrialResult<Kind>;
  if (answer.code === 'device_unavailable') throw new NotMeasured(answer.message);
  throw new Error(answer.message);
}

/** Settings of the native program, which measures the upper bound. */
interface NativeSettings {
  readonly trial: 'probe' | 'limit';
  readonly files?: readonly string[];
  readonly ms?: number;
  readonly threads?: number;
}

/** Returns the native program's output, one JSON object per line. Rejects if the program fails. */
async function runNativeTrial<R>(settings: NativeSettings): Promise<R[]> {
  const { trial, files = [], ms, threads } = settings;
  const args = [
    trial,
    ...(ms === undefined ? [] : ['--ms', String(ms)]),
    ...(threads === undefined ? [] : ['--threads', String(threads)]),
    ...files,
  ];
  const child = spawn(join(root, 'build/telltale_bench'), args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const rows: R[] = [];
  for await (const line of createInterface(child.stdout)) rows.push(JSON.parse(line) as R);
  const [status] = (await ended) as [number | null];
  if (status !== 0) throw new Error(`telltale_bench ${trial} ended with status ${status}`);
  return rows;
}
