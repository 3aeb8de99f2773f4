// Runs a trial of the native bench program and reads its rows.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { root } from '../machine/machine.js';

/** What the program is told. */
export interface NativeSettings {
  readonly trial: 'probe' | 'decode' | 'stages' | 'inference' | 'attempts' | 'limit';
  readonly files?: readonly string[];
  readonly ms?: number;
  readonly threads?: number;
  readonly batches?: readonly number[];
}

/** Rows as the program prints them, one JSON object a line. Rejects if it fails. */
export async function runNativeTrial<Row>(settings: NativeSettings): Promise<Row[]> {
  const { trial, files = [], ms, threads, batches } = settings;
  const args = [
    trial,
    ...(ms === undefined ? [] : ['--ms', String(ms)]),
    ...(threads === undefined ? [] : ['--threads', String(threads)]),
    ...(batches === undefined ? [] : ['--batches', batches.join(',')]),
    ...files,
  ];
  const child = spawn(join(root, 'build/telltale_bench'), args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const rows: Row[] = [];
  for await (const line of createInterface(child.stdout)) rows.push(JSON.parse(line) as Row);
  const [status] = (await ended) as [number | null];
  if (status !== 0) throw new Error(`telltale_bench ${trial} ended with status ${status}`);
  return rows;
}
