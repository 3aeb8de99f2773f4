// How much memory decoding may take if nobody says.
import { totalmem } from 'node:os';

/** The least and the most that `memoryMb` may be. */
export const LEAST_MEMORY_MB = 64;
export const MOST_MEMORY_MB = 10_000_000;

const BYTES_PER_MB = 1e6;

/** Chosen: the rest is for the networks, JavaScript and the bytes of requests. */
const SHARE = 0.75;

/** Three quarters of what the process may use, in MB: its control group's limit, or the machine's memory. */
export function defaultMemoryMb(): number {
  const machine = totalmem();
  // 0 or more than there is: no limit is set.
  const limit = process.constrainedMemory();
  const mayUse = limit > 0 && limit < machine ? limit : machine;
  return Math.floor((mayUse * SHARE) / BYTES_PER_MB);
}
