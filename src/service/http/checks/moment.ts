// Days and moments that a query names.
import { CheckError } from '../../../base/errors.js';
import { readDay } from '../../../accounts/usage/period.js';

const DAY_MS = 86_400_000;
/** RFC 3339, with the offset that it requires. */
const MOMENT = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;

/** The moment that the query's parameter `name` names: a day (UTC) stands for its start or its end. Errors: invalid_request. */
export function readMoment(name: string, text: string, edge: 'start' | 'end'): Date {
  const day = readDay(text);
  if (day) return new Date(day.getTime() + (edge === 'end' ? DAY_MS : 0));
  const moment = MOMENT.test(text) ? new Date(text) : null;
  if (moment && !Number.isNaN(moment.getTime())) return moment;
  throw new CheckError(
    'invalid_request',
    `Expected a day as YYYY-MM-DD or a moment as 2026-11-01T12:00:00Z for '${name}' but received another text`,
    { param: name },
  );
}
