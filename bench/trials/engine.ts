// Measuring checks within one process, in which each caller starts a check when its previous one ends. The process
// runs Telltale's checker, as programs embed it, or the Node baseline.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createChecker, type Device } from 'telltale-engine';
import { runClosedLoop, type ClosedLoopResult } from '../load/closed-loop.js';
import { modelsDir } from '../machine/machine.js';
import { createBaseline } from '../baselines/node/check.js';

export interface EngineClosedSettings {
  readonly who: 'telltale' | 'node-baseline';
  readonly device: Device;
  /** Absolute paths, checked one after the other. */
  readonly files: readonly string[];
  readonly concurrency: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** Number of crops per image. By default, Telltale stops early if the result is certain. */
  readonly views?: number;
}

type Step = 'queue' | 'decode' | 'faces' | 'inference';

/** Speed, latencies, and use of processor, memory and GPU. */
export interface EngineClosedResult extends ClosedLoopResult {
  /** Mean number of busy cores: processor time of the process ÷ elapsed time. */
  readonly coresBusy: number;
  readonly peakMemoryMb: number;
  /** Mean number of crops per run of the encoder. Null for a baseline. */
  readonly rowsPerBatch: number | null;
  /** Mean milliseconds of each step of a check. Null for a baseline. */
  readonly stepsMs: Readonly<Record<Step, number>> | null;
  /** Share of the time in which the GPU was busy, 0..1. Null without a GPU. */
  readonly gpuBusy: number | null;
}

/** Runs the measurement. Rejects with StartError `device_unavailable` if the device is unavailable. */
export async function runEngineClosed(settings: EngineClosedSettings): Promise<EngineClosedResult> {
  const files = settings.files.map((path) => readFileSync(path));
  const subject = await open(settings);
  const gpu = settings.device === 'cpu' || settings.device === 'auto' ? null : watchGpu();
  const before = process.cpuUsage();
  const start = performance.now();
  const result = await runClosedLoop({
    ...settings,
    ask: (index) => subject.check(files[index % files.length]!),
  });
  const { user, system } = process.cpuUsage(before);
  const coresBusy = (user + system) / 1000 / (performance.now() - start);
  const inside = subject.look();
  await subject.close();
  const peakMemoryMb = process.resourceUsage().maxRSS / 1000;
  return { ...result, ...inside, coresBusy, peakMemoryMb, gpuBusy: (await gpu?.stop()) ?? null };
}

interface Subject {
  check(bytes: Buffer): Promise<unknown>;
  look(): Pick<EngineClosedResult, 'rowsPerBatch' | 'stepsMs'>;
  close(): Promise<void>;
}

function open(settings: EngineClosedSettings): Promise<Subject> {
  return settings.who === 'telltale' ? openTelltale(settings) : openNodeBaseline();
}

async function openTelltale({ device, concurrency, views }: EngineClosedSettings): Promise<Subject> {
  const queueLimit = Math.max(64, concurrency);
  const checker = await createChecker({
    modelsDir: modelsDir(),
    device,
    queueLimit,
    cudaGraphs: process.env.TELLTALE_CUDA_GRAPHS === '1',
    ...(views !== undefined && { views }),
  });
  const sums = { queue: 0, decode: 0, faces: 0, inference: 0 };
  let checks = 0;
  return {
    async check(bytes) {
      const { timings } = await checker.check(bytes);
      checks += 1;
      for (const step of Object.keys(sums) as Step[]) sums[step] += timings[step];
    },
    look() {
      const { batches, rows } = checker.engine.stats().batchers.encoder;
      const mean = (step: Step): number => sums[step] / checks;
      const [decode, faces] = [mean('decode'), mean('faces')];
      const stepsMs = { queue: mean('queue'), decode, faces, inference: mean('inference') };
      return { rowsPerBatch: rows / batches, stepsMs };
    },
    close: () => checker.close(),
  };
}

async function openNodeBaseline(): Promise<Subject> {
  const look = () => ({ rowsPerBatch: null, stepsMs: null });
  return { check: await createBaseline(), look, close: () => Promise.resolve() };
}

/** Milliseconds between two readings of the GPU. */
const PERIOD_MS = 200;

interface GpuWatch {
  /**
   * Stops reading. Returns the mean utilisation since the start, 0..1. Returns null if nvidia-smi is missing or
   * printed nothing.
   */
  stop(): Promise<number | null>;
}

/** Starts reading the GPU's utilisation through nvidia-smi. */
function watchGpu(): GpuWatch {
  const query = ['--query-gpu=utilization.gpu', '--format=csv,noheader,nounits', `--loop-ms=${PERIOD_MS}`];
  const child = spawn('nvidia-smi', query, { stdio: ['ignore', 'pipe', 'ignore'] });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const ended = new Promise<void>((resolve) => {
    child.on('error', () => resolve());
    child.on('exit', () => resolve());
  });
  return {
    stop: async () => {
      child.kill();
      await ended;
      return meanUtilisation(printed);
    },
  };
}

/** Returns the mean of the percentages in `lines`, as 0..1. Returns null if no line has one. */
export function meanUtilisation(lines: string): number | null {
  const values = lines
    .split('\n')
    .filter((line) => /^\s*\d+\s*$/.test(line))
    .map(Number);
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length / 100;
}
