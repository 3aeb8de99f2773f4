// Closed loop in one process: Telltale's checker as an embedder uses it, or a Node peer.
import { readFileSync } from 'node:fs';
import { createChecker, type Device } from 'telltale';
import { runClosedLoop, type ClosedLoopResult } from '../load/closed-loop.js';
import { createPeer, type LibraryName } from '../peers/node/check.js';
import { watchGpu } from '../gpu.js';

/** What is run, on what, for how long. */
export interface EngineClosedSettings {
  readonly who: 'telltale' | 'node-peer' | 'opencv-peer';
  readonly device: Device;
  /** Absolute paths, asked for in turn. */
  readonly files: readonly string[];
  readonly concurrency: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** Telltale shows so many views of every picture; default: few of those that leave no doubt. */
  readonly views?: number;
}

/** A closed loop and what it took. */
export interface EngineClosedResult extends ClosedLoopResult {
  /** Processor time of the process ÷ wall time × cores that it could use: 1 is one core. */
  readonly coresBusy: number;
  readonly peakMemoryMb: number;
  /** Rows a run of the encoder, on average; null for a peer. */
  readonly rowsPerBatch: number | null;
  /** Share of the time that the GPU was busy, 0..1; null without one. */
  readonly gpuBusy: number | null;
}

/** Runs the loop. Rejects with StartError `device_unavailable` where the device can't be had. */
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
  const rowsPerBatch = subject.rowsPerBatch();
  await subject.close();
  const peakMemoryMb = process.resourceUsage().maxRSS / 1000;
  return { ...result, coresBusy, peakMemoryMb, rowsPerBatch, gpuBusy: (await gpu?.stop()) ?? null };
}

interface Subject {
  check(bytes: Buffer): Promise<unknown>;
  rowsPerBatch(): number | null;
  close(): Promise<void>;
}

function open(settings: EngineClosedSettings): Promise<Subject> {
  switch (settings.who) {
    case 'telltale':
      return openTelltale(settings);
    case 'node-peer':
      return openNodePeer('sharp');
    case 'opencv-peer':
      return openNodePeer('opencv4nodejs');
  }
}

async function openTelltale({ device, concurrency, views }: EngineClosedSettings): Promise<Subject> {
  const queueLimit = Math.max(64, concurrency);
  const checker = await createChecker({ device, queueLimit, ...(views !== undefined && { views }) });
  return {
    check: (bytes) => checker.check(bytes),
    rowsPerBatch: () => {
      const { batches, rows } = checker.engine.stats().batchers.encoder;
      return rows / batches;
    },
    close: () => checker.close(),
  };
}

async function openNodePeer(library: LibraryName): Promise<Subject> {
  return { check: await createPeer(library), rowsPerBatch: () => null, close: () => Promise.resolve() };
}
