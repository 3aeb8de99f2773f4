// Measuring the memory of one process over many checks.
import { readFileSync } from 'node:fs';
import { createChecker } from 'telltale-engine';
import { modelsDir } from '../machine/machine.js';
import { trend } from '../statistics.js';

/** Images, number of checks, and number of crops per image. Null crops use the models' own number. */
export interface MemorySettings {
  readonly files: readonly string[];
  readonly checks: number;
  readonly concurrency: number;
  readonly views: number | null;
}

const SAMPLES = 400;

/** Checks the images one after the other and measures the resident memory of the process in MB. */
export async function runMemory(settings: MemorySettings) {
  const { files, checks, concurrency, views } = settings;
  const checker = await createChecker({
    modelsDir: modelsDir(),
    device: 'cpu',
    ...(views !== null && { views }),
  });
  const images = files.map((path) => readFileSync(path));
  /** Number of checks so far, and resident MB. */
  const samples: [checks: number, mb: number][] = [];
  const every = Math.max(1, Math.floor(checks / SAMPLES));
  const start = performance.now();
  let begun = 0;
  let done = 0;
  const caller = async (): Promise<void> => {
    while (begun < checks) {
      await checker.check(images[begun++ % images.length]!);
      done += 1;
      if (done % every === 0) samples.push([done, process.memoryUsage.rss() / 1e6]);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, caller));
  const seconds = (performance.now() - start) / 1000;
  await checker.close();
  const settled = samples.filter(([count]) => count >= checks / 5);
  return {
    checks: done,
    seconds,
    samples,
    /** After the first fifth of the checks. */
    settledMb: settled[0]?.[1] ?? NaN,
    endMb: samples.at(-1)?.[1] ?? NaN,
    growthPerThousandMb: trend(settled.map(([count, mb]) => [count / 1000, mb])),
    peakMb: process.resourceUsage().maxRSS / 1000,
  };
}
