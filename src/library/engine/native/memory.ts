// Default memory for decoding, apart from the processes that read Content Credentials.
import { availableParallelism, totalmem } from 'node:os';

/** Minimum and maximum of `memoryMb`. */
export const LEAST_MEMORY_MB = 64;
export const MOST_MEMORY_MB = 10_000_000;

/**
 * Default number of processes that read Content Credentials. At least two: next to a file that takes 5 s, other files
 * took 4.6 s with one process and 0.25 s with two, measured on two cores.
 */
export const READER_COUNT = Math.min(4, Math.max(2, Math.floor(availableParallelism() / 2)));
/** Maximum memory of each in MB; a file that needs more is unreadable. Measured: a file of 20 MB needs 190 MB. */
export const READER_MEMORY_MB = 300;

const BYTES_PER_MB = 1e6;

/** Share of memory for decoding. Chosen: the rest is for networks, JavaScript and request bodies. */
const SHARE = 0.75;

/**
 * Returns the memory in MB for each of `processes`: three quarters of the limit of their control group, or of the
 * machine's memory, without the readers of Content Credentials.
 */
export function defaultMemoryMb(processes = 1): number {
  const machine = totalmem();
  // 0, or more than the machine's memory, means no limit.
  const limit = process.constrainedMemory();
  const mayUse = (limit > 0 && limit < machine ? limit : machine) / BYTES_PER_MB;
  const readers = processes * READER_COUNT * READER_MEMORY_MB;
  return Math.max(LEAST_MEMORY_MB, Math.floor((mayUse - readers) * SHARE));
}
