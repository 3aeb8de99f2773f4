// The log of the service: one JSON line an event. A disk that is full loses lines, never the service.
import { createRequire } from 'node:module';
import { pino, type Logger } from 'pino';
import type * as SonicBoomModule from 'sonic-boom';
import type { Config } from '../config.js';

// Node can't tell the named exports of this one, and programs of other module settings read this file's types.
const { SonicBoom } = createRequire(import.meta.url)('sonic-boom') as typeof SonicBoomModule;

/** What waits for a disk that takes nothing, at most; then lines are lost. Chosen: about a thousand requests. */
const WAITING_BYTES = 262_144;

/** A log, and what became of it. */
interface ServiceLog {
  readonly log: Logger;
  /** Lines that were lost since the start because nothing could be written. */
  readonly lostLines: () => number;
}

/** Opens the log on the descriptor `fd`; default: standard error. */
export function createLog({ logLevel }: Pick<Config, 'logLevel'>, fd = 2): ServiceLog {
  // Not pino's own destination: at the exit it tries a full disk again and again, with the thread asleep.
  const lines = new SonicBoom({ fd, sync: false, maxLength: WAITING_BYTES });
  let lost = 0;
  // What could not be written waits, and is tried again with the next line.
  lines.on('error', () => undefined);
  lines.on('drop', () => (lost += 1));
  return {
    log: pino({ level: logLevel, base: { pid: process.pid } }, lines),
    lostLines: () => lost,
  };
}
