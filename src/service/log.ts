// The log of the service: one JSON line per event. A full disk loses lines but never stops the service.
import { createRequire } from 'node:module';
import { pino, type Logger } from 'pino';
import type * as SonicBoomModule from 'sonic-boom';
import type { Config } from '../config.js';

// The package is CommonJS, whose names Node can't import.
const { SonicBoom } = createRequire(import.meta.url)('sonic-boom') as typeof SonicBoomModule;

/** Maximum bytes that wait for a full disk before lines are lost. Chosen: about a thousand requests. */
const WAITING_BYTES = 262_144;

/** The log and its number of lost lines. */
interface ServiceLog {
  readonly log: Logger;
  /** Returns the number of lines lost since the start. */
  readonly lostLines: () => number;
}

/** Opens the log on the file descriptor `fd`; default: standard error. */
export function createLog({ logLevel }: Pick<Config, 'logLevel'>, fd = 2): ServiceLog {
  // Not pino's own destination, which at exit retries a full disk with the thread asleep.
  const lines = new SonicBoom({ fd, sync: false, maxLength: WAITING_BYTES });
  let lost = 0;
  // Failed lines wait and are retried with the next line.
  lines.on('error', () => undefined);
  lines.on('drop', () => (lost += 1));
  return {
    log: pino({ level: logLevel, base: { pid: process.pid } }, lines),
    lostLines: () => lost,
  };
}
