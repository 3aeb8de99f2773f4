// The headline of a check, which people see on every surface of Telltale.
import type { CheckResult, PastCheck } from './types.js';

/**
 * Returns the headline to show to people: `AI detected`, `Unclear`, `No AI detected`, or `Overturned` if an appeal
 * overturned the verdict. Programs that act on a yes or no use `is_ai`.
 */
export function headlineOf({
  reason,
  appeal,
}: Pick<CheckResult, 'reason'> & { readonly appeal?: PastCheck['appeal'] }): string {
  if (appeal === 'overturned') return 'Overturned';
  return reason.slice(0, reason.indexOf(':'));
}
