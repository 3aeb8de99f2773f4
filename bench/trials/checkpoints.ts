// Checks over HTTP on SQLite with the engine switched off: how long the slowest of a thousand waits for the disk.
import { readBodies } from '../load/bodies.js';
import { keepDiskBusy } from '../load/busy-disk.js';
import { runHttpClosedLoop } from '../load/http-closed-loop.js';
import { runHttpOpenLoop, type OpenLoopResult } from '../load/http-open-loop.js';
import { startTelltale } from '../targets/telltale.js';

/** How SQLite's log is written back, and what else the disk does. */
export interface CheckpointsSettings {
  readonly files: readonly string[];
  readonly isOnCommit: boolean;
  readonly isDiskBusy: boolean;
  readonly ratePerSecond: number;
  readonly seconds: number;
}

/** Runs an open loop on a new, empty database. */
export async function runCheckpoints(settings: CheckpointsSettings): Promise<OpenLoopResult> {
  const { files, isOnCommit, isDiskBusy } = settings;
  const telltale = await startTelltale(
    'sqlite',
    null,
    isOnCommit ? ['engine-off', 'checkpoint-on-commit'] : ['engine-off'],
  );
  try {
    const bodies = readBodies(files, 'multipart');
    await runHttpClosedLoop(telltale, bodies, { connections: 2, seconds: 1, warmUpSeconds: 0 });
    const rest = isDiskBusy ? await keepDiskBusy(telltale.folder) : null;
    const loop = await runHttpOpenLoop(telltale, bodies, settings);
    await rest?.();
    return loop;
  } finally {
    await telltale.stop();
  }
}
