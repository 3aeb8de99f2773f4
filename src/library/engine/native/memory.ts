// How much memory decoding may take if nobody says, beside what reads Content Credentials.
import { availableParallelism, totalmem } from 'node:os';

/** The least and the most that `memoryMb` may be. */
export const LEAST_MEMORY_MB = 64;
export const MOST_MEMORY_MB = 10_000_000;

/**
 * Processes that read Content Credentials, unless an option says otherwise. At least two: beside a file that takes 5 s
 * the others' took 4.6 s with one and 0.25 s with two, measured on two cores.
 */
export const READER_COUNT = Math.min(4, Math.max(2, Math.floor(availableParallelism() / 2)));
/** What each of them may take, in MB; a file that needs more is unreadable. Measured: one of 20 MB takes 190. */
export const READER_MEMORY_MB = 300;

const BYTES_PER_MB = 1e6;

/** Chosen: the rest is for the networks, JavaScript and the bytes of requests. */
const SHARE = 0.75;

/**
 * In MB, for `processes` that decode and have readers of their own: three quarters of what they may use together (their
 * control group's limit, or the machine's memory) without their readers.
 */
export function defaultMemoryMb(processes = 1): number {
  const machine = totalmem();
  // 0 or more than there is: no limit is set.
  const limit = process.constrainedMemory();
  const mayUse = (limit > 0 && limit < machine ? limit : machine) / BYTES_PER_MB;
  const readers = processes * READER_COUNT * READER_MEMORY_MB;
  return Math.max(LEAST_MEMORY_MB, Math.floor((mayUse - readers) * SHARE));
}
