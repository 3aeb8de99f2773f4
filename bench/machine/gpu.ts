// How busy a GPU is, as nvidia-smi tells it while a trial runs.
import { spawn } from 'node:child_process';

const PERIOD_MS = 200;

/** A watch under way. */
export interface GpuWatch {
  /** Mean utilisation since the start, 0..1; null if nvidia-smi is not there or said nothing. */
  stop(): Promise<number | null>;
}

/** Begins to watch. */
export function watchGpu(): GpuWatch {
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

/** The mean of lines that hold a percentage each; null if none does. */
export function meanUtilisation(lines: string): number | null {
  const values = lines
    .split('\n')
    .filter((line) => /^\s*\d+\s*$/.test(line))
    .map(Number);
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length / 100;
}
