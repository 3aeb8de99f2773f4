// The identifier of a check: `chk_` and a ULID, so that identifiers sort by time.
import { monotonicFactory } from 'ulid';

const nextUlid = monotonicFactory();

/** A new identifier; those made later in the same process sort after those made earlier. */
export function newCheckId(): string {
  return `chk_${nextUlid()}`;
}
