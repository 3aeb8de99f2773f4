// The headline of a check, which people see on every surface of Telltale.
import type { CheckResult } from './types.js';

/**
 * Returns the headline to show to people: `AI detected`, `Unclear` or `No AI detected`. Programs that act on a yes or
 * no use `is_ai`.
 */
export function headlineOf({ reason }: Pick<CheckResult, 'reason'>): string {
  return reason.slice(0, reason.indexOf(':'));
}
