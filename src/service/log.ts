// The log of the service: one JSON line per event. A full disk loses lines but never stops the service.
import { createRequire } from 'node:module';
import { pino, type Logger } from 'pino';
import type * as SonicBoomModule from 'sonic-boom';
import type { Config } from '../config.js';

// sonic-boom is a CommonJS package, so Node can't import its names.
const { SonicBoom } = createRequire(import.meta.url)('sonic-boom') as typeof SonicBoomModule;

/** Maximum bytes of lines that wait while the disk is full. Enough for about a thousand requests. */
const WAITING_BYTES = 262_144;

/** The log with a counter of lost lines. */
interface ServiceLog {
  readonly log: Logger;
  /** Returns the number of lines lost since the start. */
  readonly lostLines: () => number;
}

/** Opens a log that writes to the file descriptor `fd`; default: standard error. */
export function createLog({ logLevel }: Pick<Config, 'logLevel'>, fd = 2): ServiceLog {
  // Not pino's own destination, because it blocks the thread at exit while the disk is full.
  const lines = new SonicBoom({ fd, sync: false, maxLength: WAITING_BYTES });
  let lost = 0;
  // Ignores errors, because failed lines are retried with the next line.
  lines.on('error', () => undefined);
  lines.on('drop', () => (lost += 1));
  return {
    log: pino({ level: logLevel, base: { pid: process.pid } }, lines),
    lostLines: () => lost,
  };
}
