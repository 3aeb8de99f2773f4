// Identifiers of checks: `chk_` and a ULID, which sort by time.
import { monotonicFactory } from 'ulid';

const nextUlid = monotonicFactory();

/** Returns a new identifier that sorts after earlier ones of the same process. */
export function newCheckId(): string {
  return `chk_${nextUlid()}`;
}
