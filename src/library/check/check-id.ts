// Identifiers of checks: `chk_` and a ULID, which begins with the time, so that they sort by time.
import { monotonicFactory } from 'ulid';

const nextUlid = monotonicFactory();

/** Returns a new identifier. It sorts after all earlier ones of the same process. */
export function newCheckId(): string {
  return `chk_${nextUlid()}`;
}
