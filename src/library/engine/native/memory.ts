// Memory limits for decoding images and for reading Content Credentials.
import { availableParallelism, totalmem } from 'node:os';

/** Minimum and maximum of the option `memoryMb`. */
export const MIN_MEMORY_MB = 64;
export const MAX_MEMORY_MB = 10_000_000;

/**
 * Default number of processes that read Content Credentials: at least two, because a slow file blocks one.
 * Measured on two cores, next to a file that takes 5 s: other files took 4.6 s with one and 0.25 s with two.
 */
export const READER_COUNT = Math.min(4, Math.max(2, Math.floor(availableParallelism() / 2)));
/** Maximum MB of a process that reads Content Credentials. Measured: a file of 20 MB needs 190 MB. */
export const READER_MEMORY_MB = 300;

const BYTES_PER_MB = 1e6;

/** Share of memory for decoding. Networks, JavaScript and request bodies need the rest. */
const SHARE = 0.75;

/**
 * Returns the memory in MB for decoding, shared by all `processes`: three quarters of what the readers of
 * Content Credentials leave of the machine's memory, or of the limit of a container.
 */
export function defaultMemoryMb(processes = 1): number {
  const machine = totalmem();
  // 0, or more than the machine's memory, means that there is no limit.
  const limit = process.constrainedMemory();
  const mayUse = (limit > 0 && limit < machine ? limit : machine) / BYTES_PER_MB;
  const readers = processes * READER_COUNT * READER_MEMORY_MB;
  return Math.max(MIN_MEMORY_MB, Math.floor((mayUse - readers) * SHARE));
}
